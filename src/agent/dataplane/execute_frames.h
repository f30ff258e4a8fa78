#pragma once
// The frames of the exec WebSocket: what a client may send, which is validated, and what it
// receives. Each frame is one JSON object.

#include <string>
#include <string_view>

#include "agent/dataplane/command_reader.h"
#include "agent/dataplane/command_request.h"
#include "agent/dataplane/command_service.h"

namespace viv::agent {

constexpr std::size_t kClientFrameBytesMax = 8 * 1024 * 1024;

// The first frame: execute, or reconnect, of which only the id and the offsets count.
struct FirstFrame {
  bool reconnects = false;
  CommandRequest request;
  CommandOffsets offsets{};
};
Result<FirstFrame> ReadFirstFrame(std::string_view text);

struct AttachedCommand {
  std::shared_ptr<Command> command;
  CommandOffsets offsets;
};

// Any later frame. Those for an SSH agent, which a box does not have, are ignored.
struct ClientFrame {
  enum class Type { kInput, kCloseStdin, kKill, kResize, kIgnored };
  Type type = Type::kIgnored;
  std::string data;
  TerminalSize size;
};
Result<ClientFrame> ReadClientFrame(std::string_view text);

// {"stdout_offset", "stderr_offset"}; absent is 0. `name` of what is wrong is in the error.
Result<CommandOffsets> ReadCommandOffsets(const json::value& body);

std::string StartedFrame(const Command& command);
std::string OutputFrame(const CommandReader::Piece& piece);
std::string ExitFrame(const Command& command);
std::string ErrorFrame(const CommandFailure& failure);

}  // namespace viv::agent
