// Any text may stand in a policy's lists: it is understood or refused, a decision never fails, what
// one list allows the same list denies, and the plain kinds are what the compiler takes them for.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"
#include "network/policy.h"

namespace {

using viv::network::EntryKind;
using viv::network::Policy;
using viv::network::Rules;

void Decide(const Rules& allowing, const Rules& denying) {
  const std::string long_name = std::string(60, 'a') + "." + std::string(60, 'a') + ".com";
  for (const std::string& name : {std::string(), std::string("api.example.com"), long_name})
    for (std::string_view address : {"1.2.3.4", "2606:4700::1111"})
      for (std::uint16_t port : {80, 443}) {
        bool allowed = allowing.Allows(name, address, port);
        CHECK(allowed != denying.Allows(name, address, port));
        if (allowed && !name.empty() && allowing.Allows(name, "9.9.9.9", port) &&
            !allowing.Allows("other.test", "9.9.9.9", port))
          CHECK(allowing.MayResolve(name));
      }
}

}  // namespace

FUZZ_TARGET(network_policy)(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> entries;
  for (std::string_view line : viv::Split(text, '\n')) {
    if (entries.size() >= 64) break;
    auto alone = Rules::Compile({{std::string(line)}, {}, false});
    if (viv::network::KindOf(line) != EntryKind::kOther) CHECK(alone.has_value());
    if (!alone) {
      CHECK(viv::IsValidUtf8(alone.error().message));
      continue;
    }
    entries.emplace_back(line);
  }
  auto allowing = Rules::Compile({entries, {}, false});
  auto denying = Rules::Compile({{}, entries, true});
  CHECK(allowing.has_value() == denying.has_value());
  if (allowing) Decide(*allowing, *denying);
  return 0;
}
