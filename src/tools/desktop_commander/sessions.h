#pragma once
// The processes that the agent started and that live on between its calls. One thread reads their
// output, writes their input and reaps them; calls wait for activity of their process. Thread-safe.
// All of them end with this object.

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "tools/desktop_commander/output_tail.h"

namespace viv::tools::commander {

struct CommandLine {
  std::string shell;
  std::string command;
  std::string folder;
};

struct ListedSession {
  pid_t pid = 0;
  bool blocked = false;
  std::chrono::milliseconds runtime{};
};

// How a process ended and all that it had said.
struct SessionResult {
  std::string output;
  std::optional<int> exit_code;  // nothing: a signal ended it
  std::chrono::milliseconds runtime{};
};

class Sessions {
 public:
  Sessions();
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  Result<pid_t> Start(const CommandLine& line);

  bool IsRunning(pid_t pid) const;
  std::optional<SessionResult> ResultOf(pid_t pid) const;  // of the last hundred that ended
  std::string Output(pid_t pid) const;                     // all of a running one
  std::string TakeUnread(pid_t pid);                       // what TakeUnread has not given yet

  // Waits until the process says more or ends, counted by a number that grows with each: `seen` is
  // the number from before. Returns the number now.
  std::uint64_t WaitForActivity(pid_t pid,
                                std::uint64_t seen,
                                std::chrono::steady_clock::time_point until) const;
  std::uint64_t ActivityCount(pid_t pid) const;

  void MarkBlocked(pid_t pid);  // a call gave up waiting for it
  // False when there is no such process, or it does not read what it got before.
  bool Send(pid_t pid, std::string_view input);
  bool Terminate(pid_t pid);  // asks it to end; a second later it is killed
  std::vector<ListedSession> List() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Session {
    pid_t pid = -1;
    UniqueFd input, output, error;
    std::string unsent;
    OutputTail all, unread;
    std::uint64_t activity = 0;
    bool blocked = false;
    TimePoint started, kill_at = TimePoint::max();
  };

  void Loop();
  void Serve(Session& session);
  bool ReadFrom(Session& session, UniqueFd& fd);
  static void WriteTo(Session& session);
  bool Reap(Session& session);
  void Wake() const;

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable activity_changed_;
  std::map<pid_t, Session> running_;
  std::map<pid_t, SessionResult> ended_;
  std::list<pid_t> ended_order_;
  std::list<Session> lingering_;  // ended, but a child of theirs still holds the output open
  bool stopping_ = false;

  UniqueFd wake_;
  std::thread thread_;
};

}  // namespace viv::tools::commander
