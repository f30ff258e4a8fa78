#pragma once
// Runs a command in a box and follows it to its exit over the agent's stream. We choose the
// command's id, so that the command is found again after the connection was lost or this server was
// restarted. Output is acknowledged to the agent only once the caller has saved it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "boxes/boxes.h"

namespace viv::recoup {

// The last bytes of one output stream; earlier bytes are only counted.
struct OutputTail {
  std::string bytes;
  std::int64_t end = 0;  // the offset behind the last byte

  // Bytes that were added before are skipped.
  void Add(std::int64_t offset, std::string_view piece);
  void Trim();  // to as much as is shown
  // As JSON can carry it, with a line on top that says how much is missing.
  std::string Text() const;
};

struct Execution {
  std::string box_id;
  std::string id;                            // the agent's command_id
  std::string command;                       // for the shell
  std::string cwd = {};                      // empty: the box's own
  std::int64_t timeout_seconds = 0;          // 0: none; the box ends it then
  std::chrono::seconds response_timeout{0};  // of a box that does not respond; 0: none
  std::int64_t begun_at_us = 0;              // a box that was started later may not know it
  bool may_have_started = false;             // an earlier server may have started it
  OutputTail output = {}, errors = {};
  // Called before output is acknowledged; a failure ends Follow. Empty: output is not saved.
  std::function<Task<Status>(const Execution&)> save = {};
};

struct ExecutionResult {
  enum class Kind {
    kExited,
    kRefused,  // it did not start
    kLost      // the box or the command went away
  } kind = Kind::kLost;
  std::int64_t exit_code = 0;
  std::string message = {};  // unless it exited
};

// `boxes` outlives the call. `execution.output` and `.errors` have the output.
Task<ExecutionResult> Follow(boxes::Boxes& boxes, Execution& execution);

// Text as one word for the shell.
std::string ShellQuoted(std::string_view text);

}  // namespace viv::recoup
