#include "tools/desktop_commander/sessions.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tuple>

#include "tools/desktop_commander/spawn_shell.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kRunningMax = 64;
constexpr std::size_t kLingeringMax = 64;
constexpr std::size_t kEndedMax = 100;
constexpr std::size_t kUnsentBytesMax = 1 << 20;
constexpr std::chrono::seconds kTerminateGrace{1};

}  // namespace

Sessions::Sessions() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // A write to a process that is gone is an error here, not a signal.
  ::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] { Loop(); });
}

Sessions::~Sessions() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  thread_.join();
  for (auto& [pid, session] : running_) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  for (const Session& session : lingering_) ::kill(-session.pid, SIGKILL);
}

void Sessions::Wake() const {
  const std::uint64_t one = 1;
  std::ignore = ::write(wake_.get(), &one, sizeof one);
}

Result<pid_t> Sessions::Start(const CommandLine& line) {
  const std::lock_guard lock(mutex_);
  if (running_.size() >= kRunningMax)
    return Fail(ErrorCode::kLimitExceeded,
                "64 processes are running: end one with force_terminate first");
  ASSIGN_OR_RETURN(ShellProcess process, SpawnShell(line.shell, line.command, line.folder));
  Session session;
  session.pid = process.pid;
  session.input = std::move(process.input);
  session.output = std::move(process.output);
  session.error = std::move(process.error);
  session.started = std::chrono::steady_clock::now();
  // The kernel gave a number anew whose old owner we may still remember.
  if (ended_.erase(process.pid) > 0) ended_order_.remove(process.pid);
  running_.insert_or_assign(process.pid, std::move(session));
  Wake();
  return process.pid;
}

bool Sessions::IsRunning(pid_t pid) const {
  const std::lock_guard lock(mutex_);
  return running_.contains(pid);
}

std::optional<SessionResult> Sessions::ResultOf(pid_t pid) const {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find(pid);
  return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

std::string Sessions::Output(pid_t pid) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(pid);
  return found == running_.end() ? "" : found->second.all.Text();
}

std::string Sessions::TakeUnread(pid_t pid) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(pid);
  return found == running_.end() ? "" : found->second.unread.Take();
}

std::uint64_t Sessions::ActivityCount(pid_t pid) const {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(pid);
  return found == running_.end() ? 0 : found->second.activity;
}

std::uint64_t Sessions::WaitForActivity(pid_t pid, std::uint64_t seen, TimePoint until) const {
  std::unique_lock lock(mutex_);
  const auto number = [&] {
    const auto found = running_.find(pid);
    return found == running_.end() ? std::nullopt : std::optional(found->second.activity);
  };
  activity_changed_.wait_until(lock, until, [&] { return number() != seen; });
  return number().value_or(seen + 1);
}

void Sessions::MarkBlocked(pid_t pid) {
  const std::lock_guard lock(mutex_);
  if (auto found = running_.find(pid); found != running_.end()) found->second.blocked = true;
}

bool Sessions::Send(pid_t pid, std::string_view input) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(pid);
  if (found == running_.end() || !found->second.input) return false;
  Session& session = found->second;
  if (session.unsent.size() + input.size() > kUnsentBytesMax) return false;
  session.unsent += input;
  Wake();
  return true;
}

bool Sessions::Terminate(pid_t pid) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(pid);
  if (found == running_.end()) return false;
  ::kill(-pid, SIGINT);
  found->second.kill_at = std::chrono::steady_clock::now() + kTerminateGrace;
  Wake();
  return true;
}

std::vector<ListedSession> Sessions::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<ListedSession> listed;
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [pid, session] : running_)
    listed.push_back(
        {pid, session.blocked,
         std::chrono::duration_cast<std::chrono::milliseconds>(now - session.started)});
  return listed;
}

// The process has exited: what it said last is read, and its record moves to the ended ones.
bool Sessions::Reap(Session& session) {
  int status = 0;
  if (::waitpid(session.pid, &status, WNOHANG) != session.pid) return false;
  // As much as a pipe can hold is there at once; a child that goes on writing has no end.
  for (int i = 0; i < 64 && session.output && ReadFrom(session, session.output); ++i) continue;
  for (int i = 0; i < 64 && session.error && ReadFrom(session, session.error); ++i) continue;
  SessionResult end;
  end.output = session.all.Text();
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  end.runtime = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - session.started);
  ended_.insert_or_assign(session.pid, std::move(end));
  ended_order_.push_back(session.pid);
  if (ended_order_.size() > kEndedMax) {
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
  }
  if (session.output || session.error) {
    session.input = UniqueFd();
    lingering_.push_back(std::move(session));
    if (lingering_.size() > kLingeringMax) lingering_.pop_front();
  }
  return true;
}

}  // namespace viv::tools::commander
