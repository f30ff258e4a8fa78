#pragma once
// A command in a box, followed to its end over the agent's stream. The agent knows it by an id that
// we choose, so it is found again after the connection, or this whole server, went away. Output is
// acknowledged to the agent only once the caller has kept it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "boxes/boxes.h"

namespace viv::recoup {

// The end of one output stream: what came before is counted and gone.
struct OutputTail {
  std::string bytes;
  std::int64_t end = 0;  // the offset behind the last byte

  void Add(std::int64_t offset, std::string_view piece);  // what is known already is left out
  void Trim();                                            // to as much as is shown
  // As JSON can carry it, with a line on top that says how much is missing.
  std::string Text() const;
};

struct Execution {
  std::string box_id;
  std::string id;                            // the agent's command_id
  std::string command;                       // for the shell
  std::string cwd = {};                      // empty: the box's own
  std::int64_t timeout_seconds = 0;          // 0: none; the box ends it then
  std::chrono::seconds response_timeout{0};  // with a box that does not answer; 0: any time
  std::int64_t begun_at_us = 0;              // a box started later may have lost it
  bool may_have_started = false;             // an earlier server may have begun it
  OutputTail output = {}, errors = {};
  // Before output is acknowledged; a failure ends the following. Empty: nothing is kept.
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

// `boxes` outlives the call. `execution.output` and `.errors` hold what came.
Task<ExecutionResult> Follow(boxes::Boxes& boxes, Execution& execution);

// Text as one word for the shell.
std::string ShellQuoted(std::string_view text);

}  // namespace viv::recoup
