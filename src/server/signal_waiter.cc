#include "server/signal_waiter.h"

#include <utility>

#include "base/log.h"

namespace viv::server {

SignalWaiter::SignalWaiter() {
  sigemptyset(&set_);
  for (int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

void SignalWaiter::Join() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

void SignalWaiter::Start(std::function<void()> on_stop) {
  thread_ = std::thread([this, on_stop = std::move(on_stop)] {
    int signal = 0;
    sigwait(&set_, &signal);
    if (signal == SIGUSR1) return;  // the server stopped by itself
    log::Info("server.stopping", {{"signal", signal}});
    on_stop();
  });
}

}  // namespace viv::server
