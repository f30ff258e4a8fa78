#pragma once
// One command of the data plane: a process, its output by stream and offset, the attached clients,
// and its timeouts. A client that disconnects does not end the command unless it asked for that.
// Output is kept for clients that reconnect. The process is read as fast as the fastest attached
// reader, but a reader that makes no progress is not waited for; without attached clients the
// oldest output is dropped. A client that reads by acknowledgement (server-sent events) is waited
// for even while it is disconnected. Used from one thread.

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "agent/dataplane/byte_log.h"
#include "agent/log_ring.h"
#include "agent/process/running_process.h"

namespace viv::agent {

enum class CommandStream { kStdout, kStderr };
constexpr std::array<CommandStream, 2> kCommandStreams{CommandStream::kStdout,
                                                       CommandStream::kStderr};

using CommandOffsets = std::array<std::uint64_t, 2>;  // by CommandStream
constexpr std::size_t IndexOf(CommandStream stream) {
  return static_cast<std::size_t>(stream);
}

class CommandReader;

class Command : public RunningProcess {
 public:
  using Duration = std::chrono::milliseconds;
  static constexpr std::uint64_t kLeadBytesMax = 1024 * 1024;            // of the process
  static constexpr std::uint64_t kUnacknowledgedBytesMax = 1024 * 1024;  // then it is paused
  static constexpr std::chrono::seconds kStallMax{
      10};  // a reader that makes no progress for so long is not waited for
  static constexpr std::size_t kInputBytesMax = 4 * 1024 * 1024;  // waiting to be read
  static constexpr std::size_t kAttachedMax = 64;

  struct Info {
    std::string id;
    pid_t pid = -1;
    bool pty = false;
    bool takes_input = false;
    bool kill_on_disconnect = false;
    std::optional<Duration> timeout;       // of the whole run
    std::optional<Duration> idle_timeout;  // while nobody is attached
    std::optional<Duration> ttl;           // how long it is kept once it has ended
  };
  Command(asio::any_io_executor executor, Info info, Channels channels, LogRing& logs);

  const Info& info() const { return info_; }
  const ByteLog& output(CommandStream stream) const { return output_[IndexOf(stream)]; }
  std::uint64_t kept_bytes() const;
  int exit_code() const;  // of an ended one; 128 and the signal's number after a signal
  std::string TimeoutText() const;

  // Kills the command at its timeout, or when no client has been attached for too long. Returns
  // when the command has ended.
  Task<void> Supervise();

  // A client is attached for as long as this object exists.
  class Attachment {
   public:
    explicit Attachment(std::shared_ptr<Command> command);
    ~Attachment();
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

   private:
    std::shared_ptr<Command> command_;
  };
  std::size_t attached() const { return attached_; }

  // The client has received everything before these offsets. From now on the process is not read
  // while more than the limit is unacknowledged, until a client reads without acknowledgement.
  void Acknowledge(CommandOffsets offsets);
  void ReadWithoutAcknowledgement();
  bool awaits_acknowledgement() const;  // it is paused

  // Input is written in order, by PumpInput.
  enum class InputTaken { kYes, kClosed };
  InputTaken QueueInput(std::string bytes);
  void QueueInputEnd();  // a terminal has none
  Task<void> PumpInput();
  // False when the queue is full and the command has read nothing for a while.
  Task<bool> WaitForInputRoom();

 private:
  friend class CommandReader;

  void OnOutput(OutputStream stream, std::string_view bytes) override;
  void OnStreamEnd(OutputStream stream) override;
  void OnEnded() override;
  bool wants_more() override;
  Time resume_reading_at() const override;

  Time Deadline() const;  // of what Supervise waits for
  std::uint64_t BytesFrom(const CommandOffsets& offsets) const;

  const Info info_;
  LogRing& logs_;
  const Time started_at_;
  std::array<ByteLog, 2> output_;
  std::uint64_t sequence_ = 0;  // of output; see ByteLog
  CommandStream last_stream_ = CommandStream::kStdout;
  std::vector<CommandReader*> readers_;
  std::optional<CommandOffsets> acknowledged_;  // when it is waited for that

  std::size_t attached_ = 0;
  Time detached_since_;
  Notifier supervised_;

  std::deque<std::optional<std::string>> input_queue_;  // nothing: close it
  std::size_t input_bytes_ = 0;
  bool takes_input_;
  Notifier input_queued_;
  Notifier input_written_;
};

}  // namespace viv::agent
