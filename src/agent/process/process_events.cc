#include "agent/process/process_events.h"

#include <algorithm>
#include <array>

#include "base/base64.h"

namespace viv::agent {
namespace {

using connect::Code;

json::object ProcessEventOf(std::string_view kind, json::object content) {
  json::object event;
  event[kind] = std::move(content);
  json::object message;
  message["event"] = std::move(event);
  return message;
}

json::object DataEventOf(const OutputLog::Piece& piece) {
  constexpr std::array<std::string_view, 3> kNames{"stdout", "stderr", "pty"};
  json::object data;
  data[kNames[static_cast<std::size_t>(piece.stream)]] = EncodeBase64(piece.bytes);
  return ProcessEventOf("data", std::move(data));
}

// A reader of the output. The destructor notifies the process, which may be waiting for its
// readers.
class StreamedOutput {
 public:
  StreamedOutput(Process& process, std::uint64_t offset) : process_(process) {
    reader_.emplace(process.output(), offset);
  }
  ~StreamedOutput() {
    reader_.reset();
    process_.OnOutputTaken();
  }
  StreamedOutput(const StreamedOutput&) = delete;
  StreamedOutput& operator=(const StreamedOutput&) = delete;

  bool lost() const { return reader_->lost(); }
  std::optional<OutputLog::Piece> Next() {
    auto piece = reader_->Next();
    if (piece) process_.OnOutputTaken();
    return piece;
  }

 private:
  Process& process_;
  std::optional<OutputLog::Reader> reader_;
};

tl::unexpected<connect::RpcError> SlowReaderError(const Process& process) {
  return connect::FailRpc(Code::kResourceExhausted,
                          "output of process " + std::to_string(process.info().pid) +
                              " was lost: this reader fell too far behind; connect again and read "
                              "faster, or write the output to a file");
}

}  // namespace

Task<connect::RpcResult<void>> StreamProcessEvents(EventStreamRequest wanted,
                                                   connect::MessageWriter& writer) {
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<Process> process = wanted.process;
  StreamedOutput output(*process, wanted.offset);
  bool fails_at_timeout = wanted.at_timeout == EventStreamRequest::AtTimeout::kFail;
  json::object start;
  start["pid"] = process->info().pid;
  json::object message = ProcessEventOf("start", std::move(start));
  for (;;) {
    bool told = co_await writer.Write(std::move(message));
    if (!told) co_return connect::RpcResult<void>();
    Process::Time next_keepalive = Clock::now() + wanted.keepalive;
    for (;;) {
      if (output.lost()) co_return SlowReaderError(*process);
      if (auto piece = output.Next()) {
        message = DataEventOf(*piece);
        break;
      }
      Process::Time now = Clock::now();
      bool late = wanted.deadline && now >= *wanted.deadline;
      if (late || (fails_at_timeout && process->timed_out())) {
        co_return connect::FailRpc(Code::kDeadlineExceeded, "context deadline exceeded");
      }
      if (process->ended()) {
        message = ProcessEventOf("end", process->end_event());
        (void)co_await writer.Write(std::move(message));
        co_return connect::RpcResult<void>();
      }
      if (now >= next_keepalive) {
        message = ProcessEventOf("keepalive", json::object());
        break;
      }
      Process::Time until = next_keepalive;
      if (wanted.deadline) until = std::min(until, *wanted.deadline);
      co_await process->changed().WaitUntil(until);
    }
  }
}

}  // namespace viv::agent
