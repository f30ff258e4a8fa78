#include "agent/process/running_process.h"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "agent/errno_text.h"

namespace viv::agent {
namespace {

constexpr auto kProcessTuple = asio::as_tuple(asio::use_awaitable);
constexpr int kReadsAtOnceMax = 4;
constexpr int kLastReadsMax = 32;  // what a pipe can hold, and more

// Shared by all processes, for there is one thread and nothing is kept in it across a wait.
char read_buffer[32 * 1024];

void Adopt(asio::posix::stream_descriptor& descriptor, UniqueFd file) {
  if (file) descriptor.assign(file.release());
}

void CloseDescriptor(asio::posix::stream_descriptor& descriptor) {
  boost::system::error_code ignored;
  descriptor.close(ignored);
}

}  // namespace

RunningProcess::RunningProcess(asio::any_io_executor executor, pid_t pid, Channels channels)
    : pid_(pid),
      input_(executor),
      terminal_(executor),
      stdout_(executor),
      stderr_(executor),
      lifetime_(executor) {
  Adopt(input_, std::move(channels.input));
  Adopt(terminal_, std::move(channels.terminal));
  Adopt(stdout_, std::move(channels.output));
  Adopt(stderr_, std::move(channels.error));
}

Task<void> RunningProcess::PumpOutput() {
  bool terminal = terminal_.is_open();
  return Pump(terminal ? terminal_ : stdout_,
              terminal ? OutputStream::kTerminal : OutputStream::kStdout);
}

Task<void> RunningProcess::PumpError() {
  return Pump(stderr_, OutputStream::kStderr);
}

Task<void> RunningProcess::Pump(Descriptor& from, OutputStream stream) {
  auto self = shared_from_this();
  while (from.is_open()) {
    auto [error] = co_await from.async_wait(Descriptor::wait_read, kProcessTuple);
    if (error == asio::error::operation_aborted && from.is_open()) continue;  // a late writer
    if (error || !from.is_open()) break;
    if (!ReadSome(from, stream, kReadsAtOnceMax)) break;
    while (!wants_more() && from.is_open()) co_await room_.WaitUntil(resume_reading_at());
  }
  // A terminal is written to until its process ended.
  if (stream != OutputStream::kTerminal || wait_status_) CloseDescriptor(from);
  NotifyStreamEnd(stream);
  EndIfDone();
}

bool RunningProcess::ReadSome(Descriptor& from, OutputStream stream, int reads_max) {
  for (int i = 0; i < reads_max; ++i) {
    ssize_t count = ::read(from.native_handle(), read_buffer, sizeof read_buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;  // EIO means that no process has the terminal open
    if (count == 0) return false;
    OnOutput(stream, std::string_view(read_buffer, static_cast<std::size_t>(count)));
    changed_.NotifyAll();
    if (static_cast<std::size_t>(count) < sizeof read_buffer) return true;
  }
  return true;
}

void RunningProcess::NotifyStreamEnd(OutputStream stream) {
  if (std::exchange(stream_ended_[static_cast<std::size_t>(stream)], true)) return;
  OnStreamEnd(stream);
  changed_.NotifyAll();
}

Task<void> RunningProcess::Expire(std::chrono::milliseconds lifetime) {
  auto self = shared_from_this();
  lifetime_.expires_after(lifetime);
  auto [error] = co_await lifetime_.async_wait(kProcessTuple);
  if (!error) TimeOut();
}

void RunningProcess::TimeOut() {
  if (ended()) return;
  timed_out_ = true;
  (void)Signal(SIGKILL);
  changed_.NotifyAll();
}

void RunningProcess::KillAndReap() {
  if (ended() || wait_status_ || pid_ <= 1 || ::kill(-pid_, SIGKILL) != 0) return;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

void RunningProcess::OnExit(int wait_status) {
  wait_status_ = wait_status;
  EndIfDone();
}

connect::RpcResult<void> RunningProcess::Signal(int signal) {
  if (signal == SIGTERM || signal == SIGKILL) killed_ = true;
  // Once the leader was collected its number may be another's.
  if (!wait_status_ && pid_ > 1 && ::kill(-pid_, signal) != 0 && errno != ESRCH) {
    return connect::FailRpc(connect::Code::kInternal, "error sending signal: " + ErrnoText(errno));
  }
  EndIfDone();
  return {};
}

connect::RpcResult<void> RunningProcess::Resize(TerminalSize size) {
  if (!terminal_.is_open()) {
    return connect::FailRpc(connect::Code::kInternal,
                            "error resizing tty: the process has no terminal");
  }
  Status resized = ResizeTerminal(terminal_.native_handle(), size);
  if (!resized) return connect::FailRpc(connect::Code::kInternal, resized.error().message);
  return {};
}

void RunningProcess::DrainAndClose(Descriptor& from, OutputStream stream) {
  if (!from.is_open()) return;
  ReadSome(from, stream, kLastReadsMax);
  CloseDescriptor(from);
  NotifyStreamEnd(stream);
}

void RunningProcess::EndIfDone() {
  bool terminal_at_end = stream_ended_[static_cast<std::size_t>(OutputStream::kTerminal)];
  bool output_open =
      stdout_.is_open() || stderr_.is_open() || (terminal_.is_open() && !terminal_at_end);
  if (ended_ || !wait_status_ || (output_open && !killed_)) return;
  DrainAndClose(stdout_, OutputStream::kStdout);
  DrainAndClose(stderr_, OutputStream::kStderr);
  DrainAndClose(terminal_, OutputStream::kTerminal);
  CloseDescriptor(input_);
  ended_ = true;
  ended_at_ = std::chrono::steady_clock::now();
  lifetime_.cancel();
  OnEnded();
  changed_.NotifyAll();
  room_.NotifyAll();
}

}  // namespace viv::agent
