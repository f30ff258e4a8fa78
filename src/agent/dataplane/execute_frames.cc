#include "agent/dataplane/execute_frames.h"

#include <limits>

#include "base/text.h"
#include "http/fields.h"

namespace viv::agent {
namespace {

Result<json::value> ParseFrame(std::string_view text) {
  if (text.size() > kClientFrameBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                "the frame has more than 8 MiB; send input in smaller pieces");
  }
  auto frame = ParseJson(text);
  if (!frame) {
    return Fail(ErrorCode::kInvalidArgument, "the frame is no JSON: " + frame.error().message);
  }
  if (!frame->is_object() || FindString(*frame, "type").empty()) {
    return Fail(ErrorCode::kInvalidArgument, "a frame is an object with a type");
  }
  return *std::move(frame);
}

std::uint16_t FrameSide(http::Fields& fields, std::string_view name) {
  std::optional<std::int64_t> value = fields.Integer(name, 1, 65'535);
  if (!value) fields.Refuse(std::string(name) + ": it is missing");
  return static_cast<std::uint16_t>(value.value_or(0));
}

}  // namespace

Result<CommandOffsets> ReadCommandOffsets(const json::value& body) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  http::Fields fields(body, "");
  CommandOffsets offsets{};
  offsets[0] = static_cast<std::uint64_t>(fields.Integer("stdout_offset", 0, kMost).value_or(0));
  offsets[1] = static_cast<std::uint64_t>(fields.Integer("stderr_offset", 0, kMost).value_or(0));
  RETURN_IF_ERROR(fields.status());
  return offsets;
}

Result<FirstFrame> ReadFirstFrame(std::string_view text) {
  ASSIGN_OR_RETURN(json::value frame, ParseFrame(text));
  std::string_view type = FindString(frame, "type");
  FirstFrame opening;
  if (type == "execute") {
    ASSIGN_OR_RETURN(opening.request, ReadCommandRequest(frame));
    return opening;
  }
  if (type != "reconnect") {
    return Fail(ErrorCode::kInvalidArgument, "the first frame must be execute or reconnect, not '" +
                                                 viv::Printable(type, 64) + "'");
  }
  opening.reconnects = true;
  opening.request.id = FindString(frame, "command_id");
  if (opening.request.id.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "command_id: it is missing");
  }
  ASSIGN_OR_RETURN(opening.offsets, ReadCommandOffsets(frame));
  return opening;
}

Result<ClientFrame> ReadClientFrame(std::string_view text) {
  ASSIGN_OR_RETURN(json::value value, ParseFrame(text));
  std::string_view type = FindString(value, "type");
  ClientFrame frame;
  if (type == "kill") {
    frame.type = ClientFrame::Type::kKill;
  } else if (type == "close_stdin") {
    frame.type = ClientFrame::Type::kCloseStdin;
  } else if (type == "input") {
    const json::value* data = Find(value, "data");
    if (data == nullptr || !data->is_string()) {
      return Fail(ErrorCode::kInvalidArgument, "data: text is expected");
    }
    frame.type = ClientFrame::Type::kInput;
    frame.data = View(data->get_string());
  } else if (type == "resize") {
    http::Fields fields(value, "");
    frame.type = ClientFrame::Type::kResize;
    frame.size = {FrameSide(fields, "cols"), FrameSide(fields, "rows")};
    RETURN_IF_ERROR(fields.status());
  } else if (!type.starts_with("ssh_agent_")) {
    return Fail(ErrorCode::kInvalidArgument,
                "unknown frame type '" + viv::Printable(type, 64) + "'");
  }
  return frame;
}

std::string StartedFrame(const Command& command) {
  json::object frame;
  frame["type"] = "started";
  frame["command_id"] = command.info().id;
  frame["pid"] = command.pid();
  return WriteJson(frame);
}

std::string OutputFrame(const CommandReader::Piece& piece) {
  std::string frame = piece.stream == CommandStream::kStdout ? R"({"type":"stdout","data":)"
                                                             : R"({"type":"stderr","data":)";
  frame.reserve(piece.data.size() + piece.data.size() / 16 + 64);
  AppendJsonString(frame, piece.data);
  frame += ",\"offset\":" + std::to_string(piece.offset) + "}";
  return frame;
}

std::string ExitFrame(const Command& command) {
  return R"({"type":"exit","exit_code":)" + std::to_string(command.exit_code()) + "}";
}

std::string ErrorFrame(const CommandFailure& failure) {
  json::object frame;
  frame["type"] = "error";
  frame["error_type"] = failure.type;
  frame["error"] = failure.message;
  return WriteJson(frame);
}

}  // namespace viv::agent
