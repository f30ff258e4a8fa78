#pragma once
// One process started for a caller: its descriptors, its output, its end. It has ended once its
// leader exited and its output is closed, or once it was killed: background children may outlive a
// command, and what they write still belongs to it, but not for longer than its caller wants.
// Shared by the table of processes and by every coroutine that works on it. One thread.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "agent/log_ring.h"
#include "agent/process/channels.h"
#include "agent/process/notifier.h"
#include "agent/process/output_log.h"
#include "base/json.h"
#include "base/task.h"
#include "rpc/connect/failure.h"

namespace viv::agent {

class Process : public std::enable_shared_from_this<Process> {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class InputKind { kStdin, kTerminal };
  struct Facts {
    pid_t pid = -1;
    std::uint64_t sequence = 0;  // the later started, the higher
    json::object config;         // as the caller gave it
    std::optional<std::string> tag;
  };

  // Takes our ends of `channels`; `logs` outlives it.
  Process(asio::any_io_executor executor, Facts facts, Channels channels, LogRing& logs);

  const Facts& facts() const { return facts_; }
  OutputLog& output() { return output_; }
  Notifier& changed() { return changed_; }  // of output, end and timeout
  bool ended() const { return end_event_.has_value(); }
  bool timed_out() const { return timed_out_; }
  const json::object& end_event() const { return *end_event_; }
  Time ended_at() const { return ended_at_; }

  // The coroutines that keep it going; each ends by itself once the process has ended.
  Task<void> PumpOutput();  // standard output, or the terminal
  Task<void> PumpError();
  Task<void> Expire(std::chrono::milliseconds lifetime);  // kills it then

  void OnExit(int wait_status);  // from the reaper
  // To the whole process group. SIGTERM and SIGKILL also end the wait for its output.
  connect::Answer<void> Signal(int signal);
  void OnOutputTaken();  // a reader went on or away
  connect::Answer<void> Resize(TerminalSize size);
  // Writes everything, after what others are writing, or fails.
  Task<connect::Answer<void>> Write(InputKind kind, std::string bytes, Time deadline);
  Task<connect::Answer<void>> CloseInput(Time deadline);

 private:
  using Descriptor = asio::posix::stream_descriptor;
  class WriteTurn;

  Task<void> Pump(Descriptor& from, OutputStream stream);
  bool ReadSome(Descriptor& from, OutputStream stream, int reads_max);  // false: at its end
  Task<bool> TakeWriteTurn(Time deadline);
  Task<connect::Answer<void>> WriteAll(Descriptor& to, std::string bytes, Time deadline);
  void DrainAndClose(Descriptor& from, OutputStream stream);
  void EndIfOver();

  const Facts facts_;
  LogRing& logs_;
  Descriptor input_;     // closed when there is none
  Descriptor terminal_;  // the same
  Descriptor stdout_;
  Descriptor stderr_;
  asio::steady_timer lifetime_;
  OutputLog output_;
  Notifier changed_;
  Notifier room_;  // in the log, or at its end
  Notifier write_turn_;
  bool terminal_at_end_ = false;  // nobody has it open any more
  bool writing_ = false;
  bool killed_ = false;
  bool timed_out_ = false;
  std::optional<int> wait_status_;  // once the leader was collected
  std::optional<json::object> end_event_;
  Time ended_at_{};
};

}  // namespace viv::agent
