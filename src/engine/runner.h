#pragma once
// Runs a tool's steps on an attached session. The caller owns the transaction.

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/app.h"
#include "engine/frame.h"
#include "engine/session.h"

namespace viv::engine {

// A notification that a tool sends to the client while it runs.
struct Notice {
  enum class Kind { kProgress, kLog };
  Kind kind = Kind::kProgress;
  json::object values;  // progress, total, message; or level, data
};

struct ToolOutcome {
  std::string text;  // as the tool's form says
  std::vector<Notice> notices;
};

// kInvalidArgument has the message for the agent; kLimitExceeded means that the step limit was
// reached; any other error is a bug of the app or of the engine.
Status RunSteps(Session& session,
                const Steps& steps,
                Frame& frame,
                std::vector<Notice>* notices = nullptr);
// Of `arguments` the tool sees those that its schema declares.
Result<ToolOutcome> RunTool(Session& session, const Tool& tool, const json::object& arguments);

// Runs one statement; the columns of its first row become variables. True when there was a row.
Result<bool> RunFirstRow(Session& session, const Sql& sql, Frame& frame);

// "{name}" replaced by the variable's text.
std::string Interpolate(const std::string& text, const Frame& frame);

// What a failed statement means to the caller.
tl::unexpected<Error> StatementError(Session& session, const std::string& location);

}  // namespace viv::engine
