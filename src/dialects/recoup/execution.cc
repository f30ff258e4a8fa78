#include "dialects/recoup/execution.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "http/client.h"
#include "http/event_parser.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kTailBytesMax = 1 << 20;
constexpr std::size_t kEventBytesMax = 8 << 20;
constexpr std::size_t kRefusalBytesMax = 64 << 10;
constexpr std::chrono::seconds kHeaderTimeout{30};
constexpr std::chrono::seconds kSilenceMax{60};  // the agent sends an event every 15
constexpr std::int64_t kKeepAfterExitSeconds = 24 * 3600;
constexpr std::int64_t kAcknowledgedAtOnce = 64 << 10;
constexpr std::chrono::milliseconds kRetryMin{100};
constexpr std::chrono::milliseconds kRetryMax{5000};

// How one connection ended.
struct StreamResult {
  enum class Kind { kFinished, kAcknowledge, kBroken, kUnknown } kind = Kind::kBroken;
  ExecutionResult end = {};  // of kFinished
  bool progressed = false;
};

ExecutionResult Lost(std::string message) {
  return {.kind = ExecutionResult::Kind::kLost, .message = std::move(message)};
}

StreamResult Finished(ExecutionResult::Kind kind, std::string message) {
  ExecutionResult end{.kind = kind, .message = std::move(message)};
  return {.kind = StreamResult::Kind::kFinished, .end = std::move(end)};
}

http::ClientRequest StreamRequest(const boxes::Boxes& boxes,
                                  const Execution& execution,
                                  std::string_view path,
                                  const json::object& body) {
  http::ClientRequest request;
  request.method = "POST";
  request.url = "http://box/dataplane/execute/stream/" + std::string(path);
  request.headers.Add("Content-Type", "application/json");
  request.headers.Add("X-Access-Token", boxes.AgentToken(execution.box_id));
  request.body = WriteJson(body);
  request.timeout = kHeaderTimeout;
  request.silence_timeout = kSilenceMax;
  request.body_bytes_max = kRefusalBytesMax;
  return request;
}

http::ClientRequest StartRequest(const boxes::Boxes& boxes, const Execution& execution) {
  json::object body{
      {"command_id", execution.id}, {"command", execution.command},
      {"shell", "/bin/bash"},       {"timeout_seconds", execution.timeout_seconds},
      {"idle_timeout_seconds", -1}, {"ttl_seconds", kKeepAfterExitSeconds},
  };
  if (!execution.cwd.empty()) body["cwd"] = execution.cwd;
  return StreamRequest(boxes, execution, "start", body);
}

http::ClientRequest ResumeRequest(const boxes::Boxes& boxes, const Execution& execution) {
  json::object body{
      {"command_id", execution.id},
      {"stdout_offset", execution.output.end},
      {"stderr_offset", execution.errors.end},
  };
  return StreamRequest(boxes, execution, "resume", body);
}

std::int64_t NumberIn(const json::value& body, std::string_view name) {
  const json::value* value = Find(body, name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// What the agent says about a request it refused: {"detail": {"error", "message"}}.
std::string RefusalText(std::string_view body, int status) {
  auto parsed = ParseJson(body);
  if (parsed) {
    const json::value* detail = Find(*parsed, "detail");
    std::string_view message = detail != nullptr ? FindString(*detail, "message") : "";
    if (!message.empty()) return Printable(message, 1024);
  }
  return "the sandbox answered with status " + std::to_string(status);
}

Task<std::string> ReadSome(http::StreamingResponse& response) {
  std::string body;
  while (body.size() < kRefusalBytesMax) {
    auto piece = co_await response.Read();
    if (!piece || piece->empty()) break;
    body += *piece;
  }
  co_return body;
}

std::optional<StreamResult> HandleErrorEvent(const json::value& body) {
  std::string_view type = FindString(body, "error_type");
  std::string message = Printable(FindString(body, "error"), 1024);
  // A reader that fell behind continues with what is left.
  if (type == "ServerShuttingDown" || type == "InvalidOffset")
    return StreamResult{.kind = StreamResult::Kind::kBroken};
  if (type == "CommandNotFound" || type == "SessionExpired")
    return StreamResult{.kind = StreamResult::Kind::kUnknown};
  if (message.empty()) message = Printable(type, 64);
  return Finished(ExecutionResult::Kind::kLost, std::move(message));
}

// Nothing while the command goes on.
std::optional<StreamResult> HandleEvent(const http::ServerSentEvent& event, Execution& execution) {
  auto body = ParseJson(event.data);
  if (!body)
    return Finished(ExecutionResult::Kind::kLost, "the sandbox sent an event that is no JSON");
  // Some agents name the event in its data instead.
  std::string_view type = event.event.empty() ? FindString(*body, "type") : event.event;
  if (type == "stdout" || type == "stderr") {
    std::optional<std::string> bytes = DecodeBase64(FindString(*body, "data"));
    if (!bytes) return Finished(ExecutionResult::Kind::kLost, "the sandbox sent broken output");
    OutputTail& tail = type == "stdout" ? execution.output : execution.errors;
    tail.Add(NumberIn(*body, "offset"), *bytes);
  } else if (type == "exit") {
    StreamResult finished = Finished(ExecutionResult::Kind::kExited, "");
    finished.end.exit_code = NumberIn(*body, "exit_code");
    return finished;
  } else if (type == "ack_required") {
    return StreamResult{.kind = StreamResult::Kind::kAcknowledge};
  } else if (type == "error") {
    return HandleErrorEvent(*body);
  }
  return std::nullopt;
}

// Reads events until the command's end or the stream's.
Task<StreamResult> ReadEvents(http::StreamingResponse& response, Execution& execution) {
  http::EventParser parser(kEventBytesMax);
  bool progressed = false;
  for (;;) {
    auto piece = co_await response.Read();
    StreamResult broken{.kind = StreamResult::Kind::kBroken, .progressed = progressed};
    if (!piece || piece->empty()) co_return broken;
    Status fed = parser.Feed(*piece);
    if (!fed) co_return Finished(ExecutionResult::Kind::kLost, fed.error().message);
    while (std::optional<http::ServerSentEvent> event = parser.Next()) {
      progressed = true;
      std::optional<StreamResult> end = HandleEvent(*event, execution);
      if (!end) continue;
      end->progressed = true;
      co_return std::move(*end);
    }
  }
}

Task<StreamResult> FollowOnce(boxes::Boxes& boxes, Execution& execution, bool resume) {
  auto connection = co_await boxes.DialAgent(execution.box_id);
  if (!connection) co_return StreamResult();  // a paused box is waited for
  http::ClientRequest request =
      resume ? ResumeRequest(boxes, execution) : StartRequest(boxes, execution);
  auto response = co_await http::FetchStreamOver(std::move(*connection), std::move(request));
  if (!response) co_return StreamResult();
  const int status = (*response)->status;
  if (status == 200) co_return co_await ReadEvents(**response, execution);
  if (resume && status == 404) {
    StreamResult unknown;
    unknown.kind = StreamResult::Kind::kUnknown;
    co_return unknown;
  }
  if (status >= 500) co_return StreamResult();
  std::string body = co_await ReadSome(**response);
  auto kind = resume ? ExecutionResult::Kind::kLost : ExecutionResult::Kind::kRefused;
  co_return Finished(kind, RefusalText(body, status));
}

// Why the command is lost for good; nullopt if a retry may succeed.
std::optional<std::string> WhyLost(const boxes::Boxes& boxes, const Execution& execution) {
  auto box = boxes.Find(execution.box_id);
  if (!box) return "the sandbox was removed before the command ended";
  if ((*box)->state == boxes::BoxState::kStopped)
    return "the sandbox stopped before the command ended";
  if ((*box)->state == boxes::BoxState::kFailed)
    return "the sandbox failed before the command ended: " + (*box)->message;
  return std::nullopt;
}

// Whether the box has been running since before the command was started: then a command that its
// agent does not know was never started.
bool HasRunSince(const boxes::Boxes& boxes, const Execution& execution) {
  auto box = boxes.Find(execution.box_id);
  return box && (*box)->started_at_us <= execution.begun_at_us;
}

Task<void> WaitFor(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

void OutputTail::Add(std::int64_t offset, std::string_view piece) {
  if (offset < end) piece.remove_prefix(std::min<std::size_t>(piece.size(), end - offset));
  // Behind a gap, too: what the agent has dropped is lost.
  end = std::max(end, offset) + static_cast<std::int64_t>(piece.size());
  bytes += piece;
  if (bytes.size() > 2 * kTailBytesMax) Trim();
}

void OutputTail::Trim() {
  if (bytes.size() > kTailBytesMax) bytes.erase(0, bytes.size() - kTailBytesMax);
}

std::string OutputTail::Text() const {
  std::string_view shown = bytes;
  if (shown.size() > kTailBytesMax) shown.remove_prefix(shown.size() - kTailBytesMax);
  const std::int64_t missing = end - static_cast<std::int64_t>(shown.size());
  std::string text;
  if (missing > 0) {
    // The cut may have gone through a character.
    while (!shown.empty() && (static_cast<unsigned char>(shown.front()) & 0xc0) == 0x80)
      shown.remove_prefix(1);
    text = "[the first " + std::to_string(missing) + " bytes were not kept]\n";
  }
  return text + Printable(shown, shown.size());
}

Task<ExecutionResult> Follow(boxes::Boxes& boxes, Execution& execution) {
  bool resume = execution.may_have_started;
  bool known = execution.output.end > 0 || execution.errors.end > 0;
  std::chrono::milliseconds wait = kRetryMin;
  const auto begun = std::chrono::steady_clock::now();
  std::int64_t acknowledged = execution.output.end + execution.errors.end;
  for (;;) {
    StreamResult stream = co_await FollowOnce(boxes, execution, resume);
    known = known || stream.progressed;
    switch (stream.kind) {
      case StreamResult::Kind::kFinished:
        co_return std::move(stream.end);
      case StreamResult::Kind::kAcknowledge: {
        resume = true;
        wait = kRetryMin;
        if (execution.save) {
          Status kept = co_await execution.save(execution);
          if (!kept) co_return Lost("keep the output: " + kept.error().message);
        }
        const std::int64_t arrived = execution.output.end + execution.errors.end;
        if (arrived - std::exchange(acknowledged, arrived) >= kAcknowledgedAtOnce) continue;
        break;  // wait: saving is expensive, and the box must not set its pace
      }
      case StreamResult::Kind::kUnknown:
        if (known || !HasRunSince(boxes, execution))
          co_return Lost("the sandbox no longer knows the command");
        resume = false;
        break;
      case StreamResult::Kind::kBroken:
        if (std::optional<std::string> why = WhyLost(boxes, execution))
          co_return Lost(std::move(*why));
        resume = resume || known;
        if (stream.progressed) wait = kRetryMin;
        break;
    }
    if (execution.response_timeout.count() > 0 &&
        std::chrono::steady_clock::now() - begun > execution.response_timeout)
      co_return Lost("the sandbox does not answer");
    co_await WaitFor(wait);
    wait = std::min(2 * wait, kRetryMax);
  }
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

}  // namespace viv::recoup
