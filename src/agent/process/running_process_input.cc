// What callers write to a process: one at a time, in order, without ever blocking the agent.

#include <cerrno>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "agent/errno_text.h"
#include "agent/process/exit_status.h"
#include "agent/process/running_process.h"

namespace viv::agent {
namespace {

using connect::Code;

tl::unexpected<connect::RpcError> InputNotRead() {
  return connect::FailRpc(Code::kDeadlineExceeded,
                          "the process did not read its input in time; part of it may be written");
}

}  // namespace

// The right to write, given back however the writer ends.
class RunningProcess::WriteLock {
 public:
  explicit WriteLock(RunningProcess& process) : process_(process) { process_.writing_ = true; }
  ~WriteLock() {
    process_.writing_ = false;
    process_.write_released_.NotifyAll();
  }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  RunningProcess& process_;
};

// False when the deadline passes first. The turn is free then, and is to be taken without a wait.
Task<bool> RunningProcess::AwaitWriteLock(Time deadline) {
  while (writing_) {
    if (std::chrono::steady_clock::now() >= deadline) co_return false;
    co_await write_released_.WaitUntil(deadline);
  }
  co_return true;
}

Task<connect::RpcResult<void>> RunningProcess::Write(InputKind kind,
                                                     std::string bytes,
                                                     Time deadline) {
  auto self = shared_from_this();
  bool has_terminal = terminal_.is_open();
  bool to_terminal = kind == InputKind::kTerminal;
  std::string doing = to_terminal ? "error writing to tty: " : "error writing to stdin: ";
  if (to_terminal && !has_terminal) {
    co_return connect::FailRpc(Code::kInternal, doing + "the process has no tty, write to stdin");
  }
  if (!to_terminal && has_terminal) {
    co_return connect::FailRpc(Code::kInternal, doing + "the process has a tty, write to pty");
  }
  bool locked = co_await AwaitWriteLock(deadline);
  if (!locked) co_return InputNotRead();
  WriteLock writing(*this);
  Descriptor& to = to_terminal ? terminal_ : input_;
  if (!to.is_open()) {
    co_return connect::FailRpc(Code::kInternal, doing + "stdin not enabled or closed");
  }
  connect::RpcResult<void> written = co_await WriteAll(to, std::move(bytes), deadline);
  if (!written) written.error().message.insert(0, doing);
  co_return written;
}

Task<connect::RpcResult<void>> RunningProcess::WriteAll(Descriptor& to,
                                                        std::string bytes,
                                                        Time deadline) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, deadline);
  // Lives as long as this write: a timer that fires later finds it gone and leaves `to` alone.
  auto late = std::make_shared<bool>(false);
  auto on_deadline = [self = shared_from_this(), &to,
                      watched = std::weak_ptr<bool>(late)](boost::system::error_code error) {
    std::shared_ptr<bool> write = watched.lock();
    if (error || !write) return;
    *write = true;
    to.cancel();
  };
  bool timing = false;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    ssize_t count = ::write(to.native_handle(), rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return connect::FailRpc(Code::kInternal, ErrnoText(errno));
    if (!std::exchange(timing, true)) timer.async_wait(on_deadline);
    auto [error] =
        co_await to.async_wait(Descriptor::wait_write, asio::as_tuple(asio::use_awaitable));
    if (*late) co_return InputNotRead();
    if (error || !to.is_open()) {
      co_return connect::FailRpc(Code::kInternal, "the process ended or its input was closed");
    }
  }
  co_return connect::RpcResult<void>();
}

Task<connect::RpcResult<void>> RunningProcess::CloseInput(Time deadline) {
  auto self = shared_from_this();
  if (terminal_.is_open()) {
    co_return connect::FailRpc(Code::kFailedPrecondition,
                               "error closing stdin: a terminal has none; send Ctrl+D (0x04)");
  }
  bool locked = co_await AwaitWriteLock(deadline);
  if (!locked) co_return InputNotRead();
  boost::system::error_code ignored;
  input_.close(ignored);
  co_return connect::RpcResult<void>();
}

}  // namespace viv::agent
