#include "agent/mcp/request.h"

#include <algorithm>

#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

constexpr std::size_t kMcpNameBytesMax = 128;
constexpr std::int64_t kMcpIdleSecondsMax = 7 * 86'400;
constexpr std::int64_t kMcpStartSecondsMax = 3600;

tl::unexpected<Error> BadMcpRequest(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// Leaves `seconds` as it is when the member is absent.
Status ReadSeconds(const json::value& value,
                   std::string_view name,
                   std::int64_t most,
                   std::chrono::seconds& seconds) {
  const json::value* given = Find(value, name);
  if (given == nullptr) return {};
  if (!given->is_int64() || given->get_int64() < 1 || given->get_int64() > most) {
    return BadMcpRequest("server." + std::string(name) + " must be a whole number from 1 to " +
                         std::to_string(most));
  }
  seconds = std::chrono::seconds(given->get_int64());
  return {};
}

Result<McpDefinition> ReadMcpDefinition(const json::value& value) {
  McpDefinition definition;
  definition.name = FindString(value, "name");
  if (definition.name.empty() || definition.name.size() > kMcpNameBytesMax) {
    return BadMcpRequest("server.name must be a text of 1 to 128 bytes");
  }
  const json::value* command = Find(value, "command");
  if (command == nullptr || !command->is_array() || command->get_array().empty()) {
    return BadMcpRequest("server.command must be a list that begins with the program");
  }
  for (const json::value& word : command->get_array()) {
    if (!word.is_string()) return BadMcpRequest("server.command must be a list of texts");
    definition.command.emplace_back(View(word.get_string()));
  }
  if (const json::value* variables = Find(value, "variables")) {
    if (!variables->is_object()) return BadMcpRequest("server.variables must be an object");
    for (const auto& [name, text] : variables->get_object()) {
      if (!text.is_string()) return BadMcpRequest("server.variables must be texts");
      definition.variables[std::string(name)] = View(text.get_string());
    }
  }
  definition.folder = FindString(value, "folder");
  definition.user = FindString(value, "user");
  RETURN_IF_ERROR(ReadSeconds(value, "idle_seconds", kMcpIdleSecondsMax, definition.idle));
  RETURN_IF_ERROR(ReadSeconds(value, "start_seconds", kMcpStartSecondsMax, definition.start));
  return definition;
}

}  // namespace

bool McpRequest::is_modern() const {
  return version == mcp::kModernVersion;
}

std::string OnOneLine(std::string_view json_text) {
  std::string line(json_text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

Result<McpRequest> ReadMcpRequest(std::string_view body) {
  ASSIGN_OR_RETURN(json::value value, ParseJson(body), "the body");
  const json::value* server = Find(value, "server");
  if (server == nullptr) return BadMcpRequest("server is missing");
  McpRequest request;
  ASSIGN_OR_RETURN(request.server, ReadMcpDefinition(*server));
  request.version = FindString(value, "version");
  request.caller = FindString(value, "caller");
  std::optional<std::string_view> text = rpc::FindMember(body, "message");
  const json::value* message = Find(value, "message");
  if (message == nullptr || !text) return BadMcpRequest("message is missing");
  request.text = OnOneLine(*text);
  request.id = rpc::FindMember(request.text, "id").value_or("");
  request.params = rpc::FindMember(request.text, "params").value_or("");
  request.message = rpc::ReadJsonRpc(*message);
  if (request.message.kind == rpc::JsonRpcMessage::Kind::kInvalid) {
    return BadMcpRequest("message: " + request.message.problem);
  }
  // Names that are written with escapes are not found in the text.
  if (request.id.empty() && !request.message.id.is_null()) {
    request.id = WriteJson(request.message.id);
  }
  if (request.params.empty() && !request.message.params.is_null()) {
    request.params = WriteJson(request.message.params);
  }
  return request;
}

}  // namespace viv::agent
