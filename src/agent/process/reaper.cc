#include "agent/process/reaper.h"

#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errno_error.h"

namespace viv::agent {
namespace {

constexpr int kReapedAtOnceMax = 256;  // so that a flood of deaths leaves time for callers

}  // namespace

Result<std::shared_ptr<Reaper>> Reaper::Create() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // ignoring it would throw the exit codes away
  UniqueFd signals(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) {
    return FailErrno(ErrorCode::kLimitExceeded, "create a signalfd");
  }
  return std::shared_ptr<Reaper>(new Reaper(std::move(signals)));
}

Task<void> Reaper::Run() {
  auto self = shared_from_this();
  auto executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor descriptor(executor, self->signals_.release());
  for (;;) {
    auto [error] = co_await descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                                  asio::as_tuple(asio::use_awaitable));
    if (error) co_return;
    signalfd_siginfo ignored[8];
    while (::read(descriptor.native_handle(), ignored, sizeof ignored) > 0) {
    }
    // The signal is taken before the children are: one that dies from now on signals again.
    while (self->ReapSome()) co_await asio::post(executor, asio::use_awaitable);
  }
}

bool Reaper::ReapSome() {
  for (int i = 0; i < kReapedAtOnceMax; ++i) {
    int status = 0;
    pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return false;
    auto watched = watched_.find(pid);
    if (watched == watched_.end()) continue;  // an orphan
    OnEnd on_end = std::move(watched->second);
    watched_.erase(watched);
    on_end(status);
  }
  return true;
}

void Reaper::Watch(pid_t pid, OnEnd on_end) {
  watched_[pid] = std::move(on_end);
}

SharedReaper::SharedReaper(std::shared_ptr<Reaper> reaper, asio::any_io_executor executor)
    : reaper_(std::move(reaper)), tasks_(std::move(executor)) {
  tasks_.Spawn("process.reap", reaper_->Run());
}

Result<std::shared_ptr<SharedReaper>> SharedReaper::Of(std::weak_ptr<SharedReaper>& place,
                                                       asio::any_io_executor executor) {
  if (auto shared = place.lock()) return shared;
  ASSIGN_OR_RETURN(std::shared_ptr<Reaper> reaper, Reaper::Create());
  std::shared_ptr<SharedReaper> shared(new SharedReaper(std::move(reaper), std::move(executor)));
  place = shared;
  return shared;
}

}  // namespace viv::agent
