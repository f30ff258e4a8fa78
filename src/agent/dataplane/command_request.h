#pragma once
// What a client asks for when it starts a command, whichever way it speaks: the members are the
// same in the WebSocket's first frame, in the body of /execute and in that of
// /execute/stream/start.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/process/channels.h"
#include "agent/process/environment.h"
#include "base/json.h"
#include "base/result.h"

namespace viv::agent {

struct CommandRequest {
  using Duration = std::chrono::milliseconds;

  std::string id;                      // empty: one is made up
  std::string command;                 // for the shell; empty: the shell itself, with a terminal
  std::vector<std::string> arguments;  // instead: a program and its arguments
  std::string shell;                   // empty: the usual one
  std::string user;                    // empty: the box's
  std::string folder;                  // empty: the box's
  Variables variables;
  bool pty = false;
  TerminalSize size{80, 24};
  bool close_stdin = false;
  bool kill_on_disconnect = false;
  std::optional<Duration> timeout;       // nothing: none
  std::optional<Duration> idle_timeout;  // the same
  std::optional<Duration> ttl;           // the same
};

// The error says which member is wrong. Members it does not know are ignored.
Result<CommandRequest> ReadCommandRequest(const json::value& body);

// 1 to 128 letters, digits, '-', '_', '.' or ':'.
bool IsCommandId(std::string_view id);

}  // namespace viv::agent
