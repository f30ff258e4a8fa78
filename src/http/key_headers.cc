#include "http/key_headers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/base64.h"
#include "base/text.h"

namespace viv::http {
namespace {

constexpr std::size_t kKeyTextBytesMax = 8 * 1024;  // no key is longer, whatever stands around it

// "Bearer KEY", "Basic base64(name:KEY)", the key as the name, another scheme, or no scheme at all.
bool AuthorizationHasKey(std::string_view value,
                         const std::function<bool(std::string_view)>& is_key) {
  if (is_key(value)) return true;
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view rest = Trim(value.substr(space + 1));
  if (is_key(rest)) return true;
  std::optional<std::string> pair = DecodeBase64(rest);
  if (!pair) return false;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return is_key(*pair);
  const std::string_view both = *pair;
  return is_key(both.substr(0, colon)) || is_key(both.substr(colon + 1));
}

}  // namespace

std::vector<std::string> HeadersWithKeys(const Request& request,
                                         const std::function<bool(std::string_view)>& is_key) {
  std::vector<std::string> names;
  constexpr std::array<std::string_view, 3> kCarriers = {"x-api-key", "x-service-key",
                                                         "authorization"};
  for (const auto& [name, value] : request.headers) {
    const std::string lower = ToLower(name);
    if (std::find(kCarriers.begin(), kCarriers.end(), lower) == kCarriers.end()) continue;
    if (std::find(names.begin(), names.end(), lower) != names.end()) continue;
    const std::string_view text = Trim(value);
    if (text.empty()) continue;
    // One that is too long to be looked at stays here as well.
    if (text.size() > kKeyTextBytesMax || is_key(text) ||
        (lower == "authorization" && AuthorizationHasKey(text, is_key)))
      names.push_back(lower);
  }
  return names;
}

}  // namespace viv::http
