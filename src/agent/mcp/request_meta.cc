#include "agent/mcp/request_meta.h"

#include <algorithm>
#include <array>

#include "base/version.h"
#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::agent {
namespace {

constexpr std::string_view kVersionMember = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kClientMember = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kCapabilitiesMember = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kLogLevelMember = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kServerMember = "io.modelcontextprotocol/serverInfo";

constexpr std::array<std::string_view, 8> kLogLevels = {"debug", "info",     "notice", "warning",
                                                        "error", "critical", "alert",  "emergency"};

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(quoted, text);
  return quoted;
}

// kNoLogLevel for a text that names none.
int LevelNamed(std::string_view name) {
  auto found = std::find(kLogLevels.begin(), kLogLevels.end(), name);
  return found == kLogLevels.end() ? kNoLogLevel : static_cast<int>(found - kLogLevels.begin());
}

std::string WithRequiredMembers(std::string meta) {
  const std::array<std::pair<std::string_view, std::string>, 3> required = {{
      {kCapabilitiesMember, "{}"},
      {kClientMember, R"({"name":"vivarium","version":)" + Quoted(Version()) + "}"},
      {kVersionMember, Quoted(mcp::kModernVersion)},
  }};
  for (const auto& [name, value] : required) {
    if (rpc::FindMember(meta, name)) continue;
    meta = rpc::WithMember(std::move(meta), Quoted(name) + ":" + value);
  }
  return meta;
}

}  // namespace

std::string WithRequestMeta(std::string params) {
  if (params.empty()) params = "{}";
  std::optional<std::string_view> meta = rpc::FindMember(params, "_meta");
  if (!meta) return rpc::WithMember(std::move(params), R"("_meta":)" + WithRequiredMembers("{}"));
  if (!meta->starts_with('{')) return params;  // the server says what is wrong with it
  return rpc::ReplacePart(params, *meta, WithRequiredMembers(std::string(*meta)));
}

std::string WithoutRequestMeta(std::string params) {
  std::optional<std::string_view> meta = rpc::FindMember(params, "_meta");
  if (!meta || meta->find("io.modelcontextprotocol") == std::string_view::npos) return params;
  Result<json::value> parsed = ParseJson(*meta);
  if (!parsed || !parsed->is_object()) return params;
  json::object& members = parsed->get_object();
  for (std::string_view name :
       {kVersionMember, kClientMember, kCapabilitiesMember, kLogLevelMember}) {
    if (members.contains(name)) members.stable_erase(members.find(name));
  }
  return rpc::ReplacePart(params, *meta, WriteJson(*parsed));
}

std::string DiscoverLine() {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(kDiscoverNumber) +
         R"(,"method":"server/discover","params":)" + WithRequestMeta("") + '}';
}

std::optional<std::string> InitializeResultOfDiscovery(std::string_view result,
                                                       std::string_view name) {
  Result<json::value> parsed = ParseJson(result);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const json::value* versions = Find(*parsed, "supportedVersions");
  if (versions == nullptr || !versions->is_array()) return std::nullopt;
  const json::array& known = versions->get_array();
  bool modern = std::any_of(known.begin(), known.end(), [](const json::value& version) {
    return version.is_string() && View(version.get_string()) == mcp::kModernVersion;
  });
  if (!modern) return std::nullopt;
  const json::value* capabilities = Find(*parsed, "capabilities");
  const json::value* meta = Find(*parsed, "_meta");
  const json::value* info = meta == nullptr ? nullptr : Find(*meta, kServerMember);
  json::object initialize_result{{"protocolVersion", mcp::kLatestHandshake}};
  initialize_result["capabilities"] =
      capabilities == nullptr ? json::value(json::object()) : *capabilities;
  initialize_result["serverInfo"] =
      info == nullptr ? json::value(json::object{{"name", name}, {"version", "1.0.0"}}) : *info;
  if (const json::value* instructions = Find(*parsed, "instructions")) {
    initialize_result["instructions"] = *instructions;
  }
  return WriteJson(initialize_result);
}

bool IsCompleteResult(std::string_view result) {
  std::optional<std::string_view> type = rpc::FindMember(result, "resultType");
  return !type || *type == R"("complete")";
}

int LogLevelOf(const json::value& message_params) {
  int level = LevelNamed(FindString(message_params, "level"));
  return level == kNoLogLevel ? 0 : level;
}

int LogLevelIn(const json::value& request_params) {
  const json::value* meta = Find(request_params, "_meta");
  return meta == nullptr ? kNoLogLevel : LevelNamed(FindString(*meta, kLogLevelMember));
}

}  // namespace viv::agent
