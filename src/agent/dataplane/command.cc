#include "agent/dataplane/command.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "agent/dataplane/command_reader.h"
#include "agent/process/exit_status.h"

namespace viv::agent {
namespace {

using CommandClock = std::chrono::steady_clock;

}  // namespace

Command::Command(asio::any_io_executor executor, Info info, Channels channels, LogRing& logs)
    : RunningProcess(std::move(executor), info.pid, std::move(channels)),
      info_(std::move(info)),
      logs_(logs),
      started_at_(CommandClock::now()),
      detached_since_(started_at_),
      takes_input_(info_.takes_input) {}

std::uint64_t Command::kept_bytes() const {
  return output_[0].end() - output_[0].begin() + output_[1].end() - output_[1].begin();
}

int Command::exit_code() const {
  int status = wait_status();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Command::TimeoutText() const {
  double seconds = std::chrono::duration<double>(info_.timeout.value_or(Duration(0))).count();
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return "The command ran longer than its timeout of " + text +
         " s and was killed; set a higher timeout, or 0 for none";
}

void Command::OnOutput(OutputStream stream, std::string_view bytes) {
  // A terminal has one stream.
  CommandStream into =
      stream == OutputStream::kStderr ? CommandStream::kStderr : CommandStream::kStdout;
  // A reader that was near so far has from now on the time that one gets to move.
  Time now = CommandClock::now();
  for (CommandReader* reader : readers_) {
    if (BytesFrom(reader->offsets()) < kLeadBytesMax) reader->Touch(now);
  }
  if (into != last_stream_) ++sequence_;
  last_stream_ = into;
  output_[IndexOf(into)].Append(sequence_, bytes);
}

void Command::OnStreamEnd(OutputStream stream) {
  if (stream != OutputStream::kTerminal) {
    output_[stream == OutputStream::kStderr ? 1 : 0].Close();
    return;
  }
  for (ByteLog& log : output_) log.Close();
}

void Command::OnEnded() {
  for (ByteLog& log : output_) log.Close();
  LogProcessEnd(logs_, pid(), wait_status());
  supervised_.NotifyAll();
  input_queued_.NotifyAll();
  input_written_.NotifyAll();
}

std::uint64_t Command::BytesFrom(const CommandOffsets& offsets) const {
  return output_[0].end() - offsets[0] + output_[1].end() - offsets[1];
}

bool Command::wants_more() {
  if (acknowledged_) return BytesFrom(*acknowledged_) < kUnacknowledgedBytesMax;
  Time now = CommandClock::now();
  bool waits = false;
  for (const CommandReader* reader : readers_) {
    if (BytesFrom(reader->offsets()) < kLeadBytesMax) return true;
    waits = waits || now - reader->moved_at() < kStallMax;
  }
  return !waits;
}

Command::Time Command::resume_reading_at() const {
  if (acknowledged_) return Time::max();
  Time last{};
  for (const CommandReader* reader : readers_) last = std::max(last, reader->moved_at());
  return last + kStallMax;
}

void Command::Acknowledge(CommandOffsets offsets) {
  acknowledged_ = offsets;
  ResumeReading();
}

void Command::ReadWithoutAcknowledgement() {
  acknowledged_.reset();
  ResumeReading();
}

bool Command::awaits_acknowledgement() const {
  return acknowledged_ && !ended() && BytesFrom(*acknowledged_) >= kUnacknowledgedBytesMax;
}

Command::Attachment::Attachment(std::shared_ptr<Command> command) : command_(std::move(command)) {
  ++command_->attached_;
  command_->supervised_.NotifyAll();
}

Command::Attachment::~Attachment() {
  if (--command_->attached_ > 0 || command_->ended()) return;
  command_->detached_since_ = CommandClock::now();
  command_->supervised_.NotifyAll();
  if (command_->info_.kill_on_disconnect) (void)command_->Signal(SIGKILL);
}

Command::Time Command::Deadline() const {
  Time deadline = Time::max();
  if (info_.timeout) deadline = started_at_ + *info_.timeout;
  if (info_.idle_timeout && attached_ == 0) {
    deadline = std::min(deadline, detached_since_ + *info_.idle_timeout);
  }
  return deadline;
}

Task<void> Command::Supervise() {
  auto self = shared_from_this();
  while (!ended()) {
    Time now = CommandClock::now();
    if (now >= Deadline()) {
      if (info_.timeout && now >= started_at_ + *info_.timeout) {
        TimeOut();
      } else {
        (void)Signal(SIGKILL);
      }
      break;
    }
    co_await supervised_.WaitUntil(Deadline());
  }
  while (!ended()) co_await supervised_.WaitUntil(Time::max());
}

}  // namespace viv::agent
