#pragma once
// A child of the agent with its pipes or terminal: reads its output, writes its input and waits for
// its end. It has ended once its leader has exited and its output is closed, or once it was killed:
// background children may outlive a command, and their output still belongs to it until a caller
// kills it. Subclasses decide what happens to the output, and when to pause reading it. Shared by a
// table and by every coroutine that works on it. Used from one thread.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "agent/process/channels.h"
#include "agent/process/notifier.h"
#include "base/task.h"
#include "rpc/connect/rpc_error.h"

namespace viv::agent {

enum class OutputStream { kStdout, kStderr, kTerminal };

class RunningProcess : public std::enable_shared_from_this<RunningProcess> {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class InputKind { kStdin, kTerminal };

  // Takes our ends of `channels`.
  RunningProcess(asio::any_io_executor executor, pid_t pid, Channels channels);
  virtual ~RunningProcess() = default;

  pid_t pid() const { return pid_; }
  Notifier& changed() { return changed_; }  // of output, end and timeout
  bool ended() const { return ended_; }
  bool timed_out() const { return timed_out_; }
  int wait_status() const { return *wait_status_; }  // of an ended one
  Time ended_at() const { return ended_at_; }

  // The coroutines that drive it; each ends once the process has ended.
  Task<void> PumpOutput();                                // standard output, or the terminal
  Task<void> PumpError();                                 // nothing to do with a terminal
  Task<void> Expire(std::chrono::milliseconds lifetime);  // kills it then

  void OnExit(int wait_status);  // from the reaper
  // To the whole process group. SIGTERM and SIGKILL also end the wait for its output.
  connect::RpcResult<void> Signal(int signal);
  void TimeOut();      // kills it at the end of its lifetime
  void KillAndReap();  // kills and reaps it, when there is no reaper any more
  connect::RpcResult<void> Resize(TerminalSize size);
  // Writes everything, after what others are writing, or fails.
  Task<connect::RpcResult<void>> Write(InputKind kind, std::string bytes, Time deadline);
  Task<connect::RpcResult<void>> CloseInput(Time deadline);

 protected:
  virtual void OnOutput(OutputStream stream, std::string_view bytes) = 0;
  virtual void OnStreamEnd(OutputStream stream) = 0;  // once each
  virtual void OnEnded() = 0;                         // after the last output
  // While it is false the output is not read, so that the process blocks on a full pipe. It is
  // checked again after ResumeReading(), and at resume_reading_at() at the latest.
  virtual bool wants_more() = 0;
  virtual Time resume_reading_at() const { return Time::max(); }
  void ResumeReading() { room_.NotifyAll(); }

 private:
  using Descriptor = asio::posix::stream_descriptor;
  class WriteLock;

  Task<void> Pump(Descriptor& from, OutputStream stream);
  bool ReadSome(Descriptor& from, OutputStream stream, int reads_max);  // false: at its end
  Task<bool> AwaitWriteLock(Time deadline);
  Task<connect::RpcResult<void>> WriteAll(Descriptor& to, std::string bytes, Time deadline);
  void DrainAndClose(Descriptor& from, OutputStream stream);
  void NotifyStreamEnd(OutputStream stream);
  void EndIfDone();

  const pid_t pid_;
  Descriptor input_;     // closed when there is none
  Descriptor terminal_;  // the same
  Descriptor stdout_;
  Descriptor stderr_;
  asio::steady_timer lifetime_;
  Notifier changed_;
  Notifier room_;  // for more output, or at its end
  Notifier write_released_;
  bool stream_ended_[3] = {};
  bool writing_ = false;
  bool killed_ = false;
  bool timed_out_ = false;
  bool ended_ = false;
  std::optional<int> wait_status_;  // once the leader was reaped
  Time ended_at_{};
};

}  // namespace viv::agent
