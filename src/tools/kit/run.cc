#include "tools/kit/run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::tools {
namespace {

using RunClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kCancelCheck{100};
// What a program's children may still say once it has exited itself.
constexpr std::chrono::milliseconds kAfterExit{200};

struct PipeEnds {
  UniqueFd read, write;
};

Result<PipeEnds> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return FailErrno(ErrorCode::kLimitExceeded, "make a pipe");
  return PipeEnds{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> EnvironmentOf(const RunRequest& request) {
  std::vector<std::string> texts;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!request.variables.contains(std::string(text.substr(0, text.find('=')))))
      texts.emplace_back(text);
  }
  for (const auto& [name, value] : request.variables) texts.push_back(name + "=" + value);
  return texts;
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;  // nullptr: ours
  int input, output, error, failure;
};

// Between fork and exec of a program with threads: system calls only.
[[noreturn]] void ExecProgram(const ChildPlan& plan) {
  ::setsid();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  int error = 0;
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) error = errno;
  if (error == 0 &&
      (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.error, 2) < 0))
    error = errno;
  if (error == 0) {
    ::execve(plan.program, plan.arguments, plan.environment);
    error = errno;
  }
  std::ignore = ::write(plan.failure, &error, sizeof error);
  ::_exit(127);
}

struct Child {
  pid_t pid = -1;
  UniqueFd input, output, error;
  UniqueFd end;  // readable once it has exited; nothing where the kernel does not give it
};

Result<Child> StartChild(const RunRequest& request) {
  const std::string program = FindProgram(request.arguments.front());
  if (program.empty())
    return Fail(ErrorCode::kNotFound, request.arguments.front() + ": command not found");
  ASSIGN_OR_RETURN(PipeEnds input, MakePipe());
  ASSIGN_OR_RETURN(PipeEnds output, MakePipe());
  ASSIGN_OR_RETURN(PipeEnds error, MakePipe());
  ASSIGN_OR_RETURN(PipeEnds failure, MakePipe());
  std::vector<std::string> arguments = request.arguments;
  std::vector<std::string> environment = EnvironmentOf(request);
  const std::vector<char*> argument_list = PointersTo(arguments);
  const std::vector<char*> environment_list = PointersTo(environment);
  const ChildPlan plan{
      program.c_str(),         argument_list.data(),
      environment_list.data(), request.folder.empty() ? nullptr : request.folder.c_str(),
      input.read.get(),        output.write.get(),
      error.write.get(),       failure.write.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return FailErrno(ErrorCode::kLimitExceeded, "start a process");
  if (pid == 0) ExecProgram(plan);
  failure.write = UniqueFd();
  int failed = 0;
  ssize_t count;
  do count = ::read(failure.read.get(), &failed, sizeof failed);
  while (count < 0 && errno == EINTR);
  if (count == sizeof failed) {
    ::waitpid(pid, nullptr, 0);
    const std::string about =
        failed == ENOENT && !request.folder.empty() ? request.folder : program;
    return FailErrno(ErrorCode::kInvalidArgument, about, failed);
  }
  UniqueFd end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return Child{pid, std::move(input.write), std::move(output.read), std::move(error.read),
               std::move(end)};
}

// Takes what is there; false at the end.
bool ReadSome(int fd, std::size_t max, std::string& text, bool& cut) {
  char buffer[64 << 10];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = max - std::min(max, text.size());
  const std::size_t taken = std::min(room, static_cast<std::size_t>(count));
  text.append(buffer, taken);
  cut = cut || taken < static_cast<std::size_t>(count);
  return count > 0;
}

class ChildIo {
 public:
  ChildIo(const RunRequest& request, Child child, RunResult& end)
      : request_(request), child_(std::move(child)), end_(end), left_(request.input) {
    for (const UniqueFd* fd : {&child_.input, &child_.output, &child_.error})
      ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    if (left_.empty()) child_.input = UniqueFd();
  }

  void RunToExit() {
    const auto deadline = RunClock::now() + request_.time_max;
    auto drain_deadline = RunClock::time_point::max();
    while (child_.output || child_.error || !exited_) {
      if (!exited_ && ::waitpid(child_.pid, &status_, WNOHANG) == child_.pid) {
        exited_ = true;
        drain_deadline = RunClock::now() + kAfterExit;
      }
      if (exited_ && !child_.output && !child_.error) break;
      const auto now = RunClock::now();
      if (now >= drain_deadline) break;  // a child of it holds the pipe open
      end_.timed_out = now >= deadline;
      end_.cancelled = request_.cancelled != nullptr && *request_.cancelled;
      if (end_.timed_out || end_.cancelled) break;
      Wait(std::min({deadline, drain_deadline, now + kCancelCheck}));
    }
    const bool stopped = end_.timed_out || end_.cancelled || !exited_;
    if (stopped || request_.leftovers == RunRequest::Leftovers::kEnd) ::kill(-child_.pid, SIGKILL);
    if (!exited_) ::waitpid(child_.pid, &status_, 0);
    end_.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  void Wait(RunClock::time_point until) {
    pollfd waited[4] = {{child_.output.get(), POLLIN, 0},
                        {child_.error.get(), POLLIN, 0},
                        {child_.input.get(), POLLOUT, 0},
                        {exited_ ? -1 : child_.end.get(), POLLIN, 0}};
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - RunClock::now());
    // Where nothing would wake us its end is looked for often.
    if (!child_.output && !child_.error && !child_.end)
      left = std::min(left, std::chrono::milliseconds(2));
    ::poll(waited, 4, static_cast<int>(std::max<std::int64_t>(1, left.count())));
    if (waited[0].revents != 0 &&
        !ReadSome(child_.output.get(), request_.output_max, end_.output, end_.output_cut))
      child_.output = UniqueFd();
    if (waited[1].revents != 0 &&
        !ReadSome(child_.error.get(), request_.output_max, end_.error, end_.error_cut))
      child_.error = UniqueFd();
    if (waited[2].revents != 0) WriteInput();
  }

  void WriteInput() {
    const ssize_t count = ::write(child_.input.get(), left_.data(), left_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) left_.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 || left_.empty()) child_.input = UniqueFd();
  }

  const RunRequest& request_;
  Child child_;
  RunResult& end_;
  std::string_view left_;
  bool exited_ = false;
  int status_ = 0;
};

}  // namespace

std::string FindProgram(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  const char* path = ::getenv("PATH");
  for (std::string_view folder :
       Split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string candidate =
        std::string(folder.empty() ? "." : folder) + "/" + std::string(name);
    struct stat status {};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return "";
}

Result<RunResult> Run(const RunRequest& request) {
  // A write to a program that is gone is an error here, not a signal.
  static const bool kPipesQuiet = [] {
    ::signal(SIGPIPE, SIG_IGN);
    return true;
  }();
  std::ignore = kPipesQuiet;
  ASSIGN_OR_RETURN(Child child, StartChild(request));
  RunResult end;
  ChildIo(request, std::move(child), end).RunToExit();
  return end;
}

}  // namespace viv::tools
