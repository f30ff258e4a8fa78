#include "dialects/langsmith/ttl.h"

#include <limits>

namespace viv::langsmith {
namespace {

constexpr std::int64_t kTtlStepSeconds = 60;
constexpr std::int64_t kTtlMaxSeconds = 3650LL * 86'400;

}  // namespace

Checked<std::optional<std::int64_t>> ReadTtl(const json::value& body, std::string_view field) {
  using Limit = std::numeric_limits<std::int64_t>;
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  auto seconds = members.Integer(field, Limit::min(), Limit::max());
  if (seconds && *seconds < 0) members.Refuse(field, "must not be negative; 0 turns it off");
  if (seconds && *seconds % kTtlStepSeconds != 0)
    members.Refuse(field, "must be a multiple of 60 seconds");
  if (seconds && *seconds > kTtlMaxSeconds)
    members.Refuse(field, "must be at most " + std::to_string(kTtlMaxSeconds) + "; 0 is for ever");
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return seconds;
}

}  // namespace viv::langsmith
