#include "agent/mcp/own_answers.h"

#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

std::string OwnResult(const McpRequest& request, std::string_view result) {
  std::string answer = R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"result":)";
  return answer.append(result) + '}';
}

// `"name":value` of the greeting's member; empty when it has none.
std::string CopiedMember(std::string_view greeting, std::string_view name) {
  std::optional<std::string_view> value = rpc::FindMember(greeting, name);
  if (!value) return "";
  std::string member = ",\"";
  return member.append(name).append("\":").append(*value);
}

// What the server can do, without news of changes: in the modern revision they are subscribed to,
// which a process that many callers share cannot offer.
std::string CapabilitiesForDiscovery(std::string_view greeting) {
  std::optional<std::string_view> given = rpc::FindMember(greeting, "capabilities");
  Result<json::value> parsed = ParseJson(given.value_or("{}"));
  if (!parsed || !parsed->is_object()) return "{}";
  for (auto& [name, capability] : parsed->get_object()) {
    if (!capability.is_object()) continue;
    for (const char* change : {"listChanged", "subscribe"}) capability.get_object().erase(change);
  }
  return WriteJson(*parsed);
}

}  // namespace

std::string AnswerInitialize(const McpRequest& request, std::string_view greeting) {
  std::string_view asked = FindString(request.message.params, "protocolVersion");
  if (asked.empty()) {
    return AnswerFailure(request, rpc::JsonRpcCode::kInvalidParams,
                         "protocolVersion must be a string");
  }
  std::string version = "\"" + std::string(mcp::NegotiatedVersion(asked)) + "\"";
  std::optional<std::string_view> place = rpc::FindMember(greeting, "protocolVersion");
  std::string result =
      place ? rpc::ReplacePart(greeting, *place, version)
            : rpc::WithMember(std::string(greeting), R"("protocolVersion":)" + version);
  return OwnResult(request, result);
}

std::string AnswerDiscover(const McpRequest& request, std::string_view greeting) {
  std::string result = R"({"resultType":"complete","ttlMs":0,"cacheScope":"private")";
  result += R"(,"supportedVersions":)" + WriteJson(mcp::KnownVersions());
  result += R"(,"capabilities":)" + CapabilitiesForDiscovery(greeting);
  result += CopiedMember(greeting, "instructions");
  if (std::optional<std::string_view> info = rpc::FindMember(greeting, "serverInfo")) {
    result.append(R"(,"_meta":{"io.modelcontextprotocol/serverInfo":)").append(*info).append("}");
  }
  return OwnResult(request, result + '}');
}

std::string AnswerPing(const McpRequest& request) {
  return OwnResult(request, request.is_modern() ? mcp::AsModernResult("{}") : "{}");
}

std::string AnswerFailure(const McpRequest& request,
                          rpc::JsonRpcCode code,
                          std::string_view message) {
  std::string answer = R"({"jsonrpc":"2.0","id":)" + request.id + R"(,"error":{"code":)";
  answer += std::to_string(static_cast<int>(code)) + R"(,"message":)";
  AppendJsonString(answer, message);
  return answer + "}}";
}

}  // namespace viv::agent
