#pragma once
// The result of a tool: content blocks for the agent, or a failure of the call itself. Most servers
// report failures in the result (`is_error`, or plain text); a CallFailure becomes a JSON-RPC
// error, for servers whose originals do that.

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "base/json.h"

namespace viv::tools {

struct ToolResult {
  json::array content;
  bool is_error = false;
  std::optional<json::object> structured;
};

// Bytes that are no UTF-8 become U+FFFD, one for each broken run, as Node decodes a file.
std::string AsUtf8(std::string text);

ToolResult Text(std::string text);       // one block of text, made UTF-8
ToolResult ErrorText(std::string text);  // the same with isError
void AddText(ToolResult& result, std::string text);

struct CallFailure {
  int code = -32603;
  std::string message;
};
using CallResult = tl::expected<ToolResult, CallFailure>;

}  // namespace viv::tools
