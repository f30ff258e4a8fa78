#include "agent/mcp/bridge_responses.h"

#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

std::string ResultResponse(const McpRequest& request, std::string_view result) {
  std::string answer = R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"result":)";
  return answer.append(result) + '}';
}

// `"name":value` of a member of the InitializeResult; empty when it has none.
std::string CopiedMember(std::string_view initialize_result, std::string_view name) {
  std::optional<std::string_view> value = rpc::FindMember(initialize_result, name);
  if (!value) return "";
  std::string member = ",\"";
  return member.append(name).append("\":").append(*value);
}

// What the server can do, without news of changes: in the modern revision they are subscribed to,
// which a process that many callers share cannot offer.
std::string CapabilitiesForDiscovery(std::string_view initialize_result) {
  std::optional<std::string_view> given = rpc::FindMember(initialize_result, "capabilities");
  Result<json::value> parsed = ParseJson(given.value_or("{}"));
  if (!parsed || !parsed->is_object()) return "{}";
  for (auto& [name, capability] : parsed->get_object()) {
    if (!capability.is_object()) continue;
    for (const char* change : {"listChanged", "subscribe"}) capability.get_object().erase(change);
  }
  return WriteJson(*parsed);
}

}  // namespace

std::string InitializeResponse(const McpRequest& request, std::string_view initialize_result) {
  std::string_view asked = FindString(request.message.params, "protocolVersion");
  if (asked.empty()) {
    return ErrorResponse(request, rpc::JsonRpcCode::kInvalidParams,
                         "protocolVersion must be a string");
  }
  std::string version = "\"" + std::string(mcp::NegotiatedVersion(asked)) + "\"";
  std::optional<std::string_view> place = rpc::FindMember(initialize_result, "protocolVersion");
  std::string result =
      place ? rpc::ReplacePart(initialize_result, *place, version)
            : rpc::WithMember(std::string(initialize_result), R"("protocolVersion":)" + version);
  return ResultResponse(request, result);
}

std::string DiscoverResponse(const McpRequest& request, std::string_view initialize_result) {
  std::string result = R"({"resultType":"complete","ttlMs":0,"cacheScope":"private")";
  result += R"(,"supportedVersions":)" + WriteJson(mcp::KnownVersions());
  result += R"(,"capabilities":)" + CapabilitiesForDiscovery(initialize_result);
  result += CopiedMember(initialize_result, "instructions");
  if (std::optional<std::string_view> info = rpc::FindMember(initialize_result, "serverInfo")) {
    result.append(R"(,"_meta":{"io.modelcontextprotocol/serverInfo":)").append(*info).append("}");
  }
  return ResultResponse(request, result + '}');
}

std::string PingResponse(const McpRequest& request) {
  return ResultResponse(request, request.is_modern() ? mcp::AsModernResult("{}") : "{}");
}

std::string ErrorResponse(const McpRequest& request,
                          rpc::JsonRpcCode code,
                          std::string_view message) {
  std::string answer = R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"error":{"code":)";
  answer += std::to_string(static_cast<int>(code)) + R"(,"message":)";
  AppendJsonString(answer, message);
  return answer + "}}";
}

}  // namespace viv::agent
