#pragma once
// Waits for SIGTERM or SIGINT on a thread of its own; the signals are blocked everywhere else. It
// is made before any other thread, so that every thread inherits the blocked signals.

#include <signal.h>

#include <functional>
#include <thread>

namespace viv::server {

class SignalWaiter {
 public:
  SignalWaiter();
  ~SignalWaiter() { Join(); }
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

  void Start(std::function<void()> on_stop);  // calls it when a signal comes
  void Join();                                // the server has stopped

 private:
  sigset_t set_;
  std::thread thread_;
};

}  // namespace viv::server
