#include "rpc/mcp/revisions.h"

#include <algorithm>
#include <array>

#include "rpc/jsonrpc/members.h"

namespace viv::mcp {
namespace {

constexpr std::array<std::string_view, 5> kHandshakeVersions = {
    kLatestHandshake, "2025-06-18", kBatchVersion, "2024-11-05", "2024-10-07"};

}  // namespace

bool IsHandshakeVersion(std::string_view version) {
  return std::find(kHandshakeVersions.begin(), kHandshakeVersions.end(), version) !=
         kHandshakeVersions.end();
}

bool IsKnownVersion(std::string_view version) {
  return version == kModernVersion || IsHandshakeVersion(version);
}

json::array KnownVersions() {
  json::array versions{kModernVersion};
  for (std::string_view version : kHandshakeVersions) versions.emplace_back(version);
  return versions;
}

std::string_view NegotiatedVersion(std::string_view asked) {
  return IsHandshakeVersion(asked) ? asked : kLatestHandshake;
}

std::string AsModernResult(std::string result_json) {
  if (rpc::FindMember(result_json, "resultType")) return result_json;
  return rpc::WithMember(std::move(result_json), R"("resultType":"complete")");
}

}  // namespace viv::mcp
