// A proxy_config or mount_config may be any JSON: it is refused with the place of a mistake, or
// kept so that what is shown of it has no secret and can be sent back as it is.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dialects/langsmith/mount_config.h"
#include "dialects/langsmith/proxy_config.h"
#include "dialects/langsmith/proxy_plan.h"
#include "fuzz_target.h"

namespace {

using namespace viv;
using namespace viv::langsmith;

void CheckProxy(const json::value& given, const AccountSealer& sealer) {
  auto stored = StoreProxyConfig(given, nullptr, sealer);
  if (!stored) {
    CHECK(!stored.error().where.empty() && !stored.error().message.empty());
    CHECK(ParseJson(WriteJson(json::string(stored.error().message))).has_value());
    return;
  }
  json::value shown = ShowProxyConfig(*stored);
  auto again = StoreProxyConfig(shown, *stored, sealer);
  CHECK(again.has_value() && *again == *stored);
  CHECK(network::Rules::Compile(EgressOf(*stored)).has_value());
  VariablesOf(*stored);
  const gateway::Plan plan = PlanOf(*stored, sealer);
  CHECK(gateway::PlanOf(gateway::PlanToJson(plan)) == plan);
}

void CheckMounts(const json::value& given, const AccountSealer& sealer) {
  auto stored = StoreMountConfig(given, nullptr, sealer);
  if (!stored) {
    CHECK(!stored.error().where.empty() && !stored.error().message.empty());
    return;
  }
  ShowMountConfig(*stored);
}

}  // namespace

FUZZ_TARGET(langsmith_config)(const std::uint8_t* data, std::size_t size) {
  static const accounts::Sealer server_sealer("the server's own secret");
  auto given = ParseJson(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!given) return 0;
  AccountSealer sealer = AccountSealerOf(server_sealer, "account");
  CheckProxy(*given, sealer);
  CheckMounts(*given, sealer);
  return 0;
}
