#include "agent/dataplane/execute_stream.h"

#include <boost/asio/this_coro.hpp>

#include "agent/dataplane/command_reader.h"
#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/execute_frames.h"
#include "agent/dataplane/execute_once.h"
#include "base/base64.h"
#include "http/sse.h"

namespace viv::agent {
namespace {

using StreamClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStreamHeartbeat{15};
constexpr std::chrono::seconds kStreamKillTimeout{5};  // of a killed command with its end
constexpr std::array<std::string_view, 2> kStreamNames{"stdout", "stderr"};

std::string StreamEvent(std::string_view name, const json::object& data) {
  http::ServerSentEvent event;
  event.event = name;
  event.data = WriteJson(data);
  return http::FormatEvent(event);
}

std::string StreamStarted(const Command& command) {
  json::object data;
  data["command_id"] = command.info().id;
  data["pid"] = command.pid();
  data["stdin_received"] = 0;
  return StreamEvent("started", data);
}

std::string StreamOutput(const CommandReader::Piece& piece) {
  json::object data;
  data["offset"] = piece.offset;
  data["data"] = EncodeBase64(piece.data);
  return StreamEvent(kStreamNames[IndexOf(piece.stream)], data);
}

std::string StreamError(const CommandFailure& failure) {
  json::object data;
  data["error_type"] = failure.type;
  data["error"] = failure.message;
  return StreamEvent("error", data);
}

// One answer: a stretch of one command's output.
class StreamSession {
 public:
  StreamSession(std::shared_ptr<Command> command, CommandOffsets offsets)
      : command_(std::move(command)), attachment_(command_), reader_(command_, offsets) {}

  Task<void> Run(http::BodyWriter& writer) {
    std::string events = StreamStarted(*command_);
    while (!events.empty()) {
      Status written = co_await writer.Write(std::move(events));
      if (!written || finished_) co_return;
      events = Next();
      if (!events.empty()) continue;
      Command::Time heartbeat = StreamClock::now() + kStreamHeartbeat;
      while (events.empty()) {
        Command::Time until = given_up_at_ ? std::min(*given_up_at_, heartbeat) : heartbeat;
        co_await command_->changed().WaitUntil(until);
        events = Next();
        if (events.empty() && StreamClock::now() >= heartbeat) events = ": ping\n\n";
      }
    }
  }

 private:
  // What there is to say now; empty when there is nothing.
  std::string Next() {
    if (reader_.lost()) {
      finished_ = true;
      return StreamError({"InvalidOffset", "this reader fell too far behind; resume again"});
    }
    if (auto piece = reader_.NextBytes()) return StreamOutput(*piece);
    std::string events = StreamEnds();
    if (command_->timed_out() && !given_up_at_) {
      given_up_at_ = StreamClock::now() + kStreamKillTimeout;
    }
    bool given_up = given_up_at_ && StreamClock::now() >= *given_up_at_;
    if (command_->ended() || given_up) {
      finished_ = true;
      events += ExitEvent();
    } else if (command_->awaits_acknowledgement()) {
      finished_ = true;
      events += AcknowledgementRequired();
    }
    return events;
  }

  std::string StreamEnds() {
    std::string events;
    for (CommandStream stream : kCommandStreams) {
      bool& told = end_told_[IndexOf(stream)];
      if (told || !reader_.at_end(stream)) continue;
      told = true;
      json::object data;
      data["stream"] = std::string(kStreamNames[IndexOf(stream)]);
      data["offset"] = reader_.offsets()[IndexOf(stream)];
      events += StreamEvent("stream_end", data);
    }
    return events;
  }

  std::string AcknowledgementRequired() const {
    json::object data;
    data["stdout_offset"] = reader_.offsets()[0];
    data["stderr_offset"] = reader_.offsets()[1];
    return StreamEvent("ack_required", data);
  }

  std::string ExitEvent() const {
    if (command_->timed_out()) return StreamError({"CommandTimeout", command_->TimeoutText()});
    json::object data;
    data["exit_code"] = command_->exit_code();
    return StreamEvent("exit", data);
  }

  const std::shared_ptr<Command> command_;
  Command::Attachment attachment_;
  CommandReader reader_;
  std::array<bool, 2> end_told_{};
  std::optional<Command::Time> given_up_at_;
  bool finished_ = false;
};

Task<void> RunStreamSession(std::shared_ptr<StreamSession> session, http::BodyWriter& writer) {
  co_await session->Run(writer);
}

// Attached from now on, not only once the response has begun.
http::Response RespondWithStream(std::shared_ptr<Command> command, CommandOffsets offsets) {
  if (command->info().pty) {
    return DataPlaneError(409, "PTYUnsupported",
                          "the command has a terminal: reconnect over the WebSocket /execute/ws");
  }
  if (command->attached() >= Command::kAttachedMax) {
    return DataPlaneError(400, "CommandError", "too many clients are attached to this command");
  }
  command->Acknowledge(offsets);
  auto session = std::make_shared<StreamSession>(std::move(command), offsets);
  return http::EventStream(
      [session](http::BodyWriter& writer) { return RunStreamSession(session, writer); });
}

Task<void> WriteEvents(std::string events, http::BodyWriter& writer) {
  (void)co_await writer.Write(std::move(events));
}

http::Response RespondWithError(const CommandFailure& failure) {
  return http::EventStream([events = StreamError(failure)](http::BodyWriter& writer) {
    return WriteEvents(events, writer);
  });
}

}  // namespace

Task<http::Response> StartStream(CommandService& service, http::Request& request) {
  auto executor = co_await asio::this_coro::executor;
  Result<json::value> body = ParseJson(request.body);
  if (!body || !body->is_object()) {
    co_return DataPlaneError(400, "CommandError", "the body must be a JSON object with a command");
  }
  Result<CommandRequest> wanted = ReadCommandRequest(*body);
  if (!wanted) co_return DataPlaneError(400, "CommandError", wanted.error().message);
  if (wanted->pty) {
    co_return DataPlaneError(409, "PTYUnsupported", "a terminal needs the WebSocket /execute/ws");
  }
  wanted->close_stdin = true;
  wanted->kill_on_disconnect = false;
  CommandResult<std::shared_ptr<Command>> command =
      service.GetOrStart(*std::move(wanted), executor);
  if (!command) co_return RenderCommandFailure(command.error());
  // From the beginning, or from what is left of it.
  CommandOffsets offsets{(*command)->output(CommandStream::kStdout).begin(),
                         (*command)->output(CommandStream::kStderr).begin()};
  co_return RespondWithStream(*std::move(command), offsets);
}

Task<http::Response> ResumeStream(CommandService& service, http::Request& request) {
  Result<json::value> body = ParseJson(request.body);
  if (!body || FindString(*body, "command_id").empty()) {
    co_return DataPlaneError(400, "CommandError",
                             "the body must be a JSON object with a command_id");
  }
  Result<CommandOffsets> offsets = ReadCommandOffsets(*body);
  if (!offsets) co_return DataPlaneError(400, "InvalidOffset", offsets.error().message);
  CommandResult<std::shared_ptr<Command>> command =
      service.Find(std::string(FindString(*body, "command_id")));
  if (!command && command.error().type == "SessionExpired") {
    co_return RespondWithError(command.error());
  }
  if (!command) co_return RenderCommandFailure(command.error());
  for (CommandStream stream : kCommandStreams) {
    const ByteLog& log = (*command)->output(stream);
    std::uint64_t& offset = (*offsets)[IndexOf(stream)];
    if (offset > log.end()) {
      CommandFailure failure{"InvalidOffset", std::string(kStreamNames[IndexOf(stream)]) +
                                                  " has only " + std::to_string(log.end()) +
                                                  " bytes so far"};
      co_return RespondWithError(failure);
    }
    offset = std::max(offset, log.begin());
  }
  co_return RespondWithStream(*std::move(command), *offsets);
}

}  // namespace viv::agent
