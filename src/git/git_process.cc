#include "git/git_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/errno_error.h"
#include "git/git_child.h"

namespace viv::git {
namespace {

constexpr std::size_t kGitPieceBytes = 64 * 1024;
constexpr std::size_t kGitErrorOutputBytes = 2048;
constexpr auto kGitTuple = asio::as_tuple(asio::use_awaitable);

struct GitPipes {  // our ends
  UniqueFd input;  // a socket, because writing to one raises no signal
  UniqueFd output;
  UniqueFd errors;
};

Result<GitPipes> MakeGitPipes(GitSpawnRequest& start) {
  int input[2];
  int output[2];
  int errors[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
    return FailErrno(ErrorCode::kUnavailable, "git: make pipes");
  start.input = UniqueFd(input[0]);
  GitPipes ours;
  ours.input = UniqueFd(input[1]);
  if (::pipe2(output, O_CLOEXEC) != 0) return FailErrno(ErrorCode::kUnavailable, "git: make pipes");
  ours.output = UniqueFd(output[0]);
  start.output = UniqueFd(output[1]);
  if (::pipe2(errors, O_CLOEXEC) != 0) return FailErrno(ErrorCode::kUnavailable, "git: make pipes");
  ours.errors = UniqueFd(errors[0]);
  start.errors = UniqueFd(errors[1]);
  return ours;
}

}  // namespace

// Shared with the coroutine that reads standard error and with the deadline, which may both outlive
// the process by a moment.
struct GitProcess::State {
  State(asio::any_io_executor executor, GitChild started, GitPipes pipes)
      : child(std::move(started)),
        input(executor, asio::local::stream_protocol(), pipes.input.release()),
        output(executor, pipes.output.release()),
        errors(executor, pipes.errors.release()),
        ended(executor, ::dup(child.pidfd.get())),
        deadline(executor) {}
  ~State() { End(); }

  void Kill() {
    if (reaped) return;
    killed = true;
    ::kill(-child.pid, SIGKILL);
  }

  // Its group is ended while it still has its number. At most waits for the kernel to take a killed
  // process apart.
  int Reap() {
    if (reaped) return exit_code;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    ::kill(-child.pid, SIGKILL);
    while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED) != 0 && errno == EINTR) {
    }
    reaped = true;
    exit_code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    return exit_code;
  }

  void End() {
    Kill();
    Reap();
    boost::system::error_code ignored;
    input.close(ignored);
    output.close(ignored);
    errors.close(ignored);
    ended.close(ignored);
    deadline.cancel();
  }

  GitChild child;
  asio::local::stream_protocol::socket input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor errors;
  asio::posix::stream_descriptor ended;
  asio::steady_timer deadline;
  std::string error_output;
  bool killed = false;
  bool reaped = false;
  int exit_code = 0;

  static Task<void> ReadErrorOutput(std::shared_ptr<State> state) {
    char bytes[1024];
    for (;;) {
      auto [error, count] = co_await state->errors.async_read_some(asio::buffer(bytes), kGitTuple);
      if (error || count == 0) co_return;
      const std::size_t room = kGitErrorOutputBytes - state->error_output.size();
      state->error_output.append(bytes, std::min(count, room));
    }
  }
};

Task<Result<std::unique_ptr<GitProcess>>> GitProcess::Start(BlockingPool& pool,
                                                            GitCommand command) {
  GitSpawnRequest start;
  start.folder = std::move(command.folder);
  start.arguments = std::move(command.arguments);
  start.environment = std::move(command.environment);
  ASSIGN_OR_CO_RETURN(GitPipes pipes, MakeGitPipes(start));
  auto spawn = [&start] { return SpawnGit(start); };
  Result<GitChild> child = co_await pool.Run(spawn);
  if (!child) co_return PassUp(std::move(child).error());
  auto executor = co_await asio::this_coro::executor;
  auto state = std::make_shared<State>(executor, *std::move(child), std::move(pipes));
  state->deadline.expires_after(command.deadline);
  state->deadline.async_wait([weak = std::weak_ptr<State>(state)](boost::system::error_code error) {
    if (error) return;
    if (auto alive = weak.lock()) alive->Kill();
  });
  asio::co_spawn(executor, State::ReadErrorOutput(state), asio::detached);
  co_return std::unique_ptr<GitProcess>(new GitProcess(std::move(state)));
}

GitProcess::~GitProcess() {
  state_->End();
}

Task<Status> GitProcess::Write(std::string bytes) {
  auto state = state_;
  auto [error, count] = co_await asio::async_write(state->input, asio::buffer(bytes), kGitTuple);
  if (error) co_return Fail(ErrorCode::kUnavailable, "git: it took no more input");
  co_return Status();
}

void GitProcess::CloseInput() {
  boost::system::error_code ignored;
  state_->input.close(ignored);
}

Task<Result<std::string>> GitProcess::Read() {
  auto state = state_;
  std::string bytes(kGitPieceBytes, '\0');
  auto [error, count] = co_await state->output.async_read_some(asio::buffer(bytes), kGitTuple);
  if (error && error != asio::error::eof)
    co_return Fail(ErrorCode::kUnavailable, "git: read its output: " + error.message());
  bytes.resize(count);
  co_return bytes;
}

void GitProcess::Kill() {
  state_->Kill();
}

bool GitProcess::was_killed() const {
  return state_->killed;
}

Task<Result<int>> GitProcess::Wait() {
  auto state = state_;
  auto [error] =
      co_await state->ended.async_wait(asio::posix::descriptor_base::wait_read, kGitTuple);
  if (error) co_return Fail(ErrorCode::kUnavailable, "git: it was given up");
  const bool killed = state->killed;
  const int code = state->Reap();
  if (killed) co_return Fail(ErrorCode::kUnavailable, "git: it took too long, or was given up");
  co_return code;
}

std::string GitProcess::error_output() const {
  return state_->error_output;
}

Task<Result<GitOutput>> RunGit(BlockingPool& pool,
                               GitCommand command,
                               std::string input,
                               std::size_t output_bytes_max) {
  ASSIGN_OR_CO_RETURN(auto process, co_await GitProcess::Start(pool, std::move(command)));
  if (!input.empty()) {
    // A git that listens no more has its reasons, which its exit code tells.
    Status written = co_await process->Write(std::move(input));
    static_cast<void>(written);
  }
  process->CloseInput();
  GitOutput answer;
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await process->Read());
    if (piece.empty()) break;
    if (answer.output.size() + piece.size() > output_bytes_max)
      co_return Fail(ErrorCode::kLimitExceeded, "git: its answer is too long");
    answer.output += piece;
  }
  ASSIGN_OR_CO_RETURN(answer.exit_code, co_await process->Wait());
  answer.error_output = process->error_output();
  co_return answer;
}

}  // namespace viv::git
