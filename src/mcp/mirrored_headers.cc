#include "mcp/mirrored_headers.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"

namespace viv::mcp {
namespace {

// Which parameter Mcp-Name repeats. Other methods have none, and the header means nothing there.
constexpr std::pair<std::string_view, std::string_view> kNamingParameters[] = {
    {"tools/call", "name"},  {"prompts/get", "name"},    {"resources/read", "uri"},
    {"tasks/get", "taskId"}, {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
};

std::string_view NamingParameter(std::string_view method) {
  for (const auto& [named, parameter] : kNamingParameters) {
    if (named == method) return parameter;
  }
  return {};
}

// What a header cannot carry comes as =?base64?…?=, with padding; nothing when that is broken.
std::optional<std::string> DecodeHeaderValue(std::string_view value) {
  constexpr std::string_view kOpening = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kOpening.size() + kEnd.size() || !value.starts_with(kOpening) ||
      !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kOpening.size());
  value.remove_suffix(kEnd.size());
  std::optional<std::string> decoded = DecodeBase64(value);
  // One spelling only: what reads the header before us may know no other.
  if (decoded && EncodeBase64(*decoded) != value) return std::nullopt;
  return decoded;
}

}  // namespace

Status CheckMirroredHeaders(const http::Request& request, const rpc::JsonRpcMessage& message) {
  std::string_view method = request.headers.Get("mcp-method");
  if (!method.empty() && method != message.method) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "Mcp-Method and Mcp-Name must agree with the body: send Mcp-Method: " + message.method);
  }
  std::string_view name = request.headers.Get("mcp-name");
  std::string_view parameter = NamingParameter(message.method);
  if (name.empty() || parameter.empty()) return {};
  std::optional<std::string> decoded = DecodeHeaderValue(name);
  if (!decoded) {
    return Fail(ErrorCode::kInvalidArgument,
                "Mcp-Name is not valid Base64: between '=?base64?' and '?=' stand the UTF-8 bytes "
                "in the standard alphabet, with padding");
  }
  if (*decoded != FindString(message.params, parameter)) {
    return Fail(ErrorCode::kInvalidArgument,
                "Mcp-Method and Mcp-Name must agree with the body: Mcp-Name of " + message.method +
                    " repeats params." + std::string(parameter));
  }
  return {};
}

}  // namespace viv::mcp
