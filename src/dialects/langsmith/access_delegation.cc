#include "dialects/langsmith/access_delegation.h"

#include <utility>

namespace viv::langsmith {
namespace {

constexpr std::size_t kPermissionsMax = 200;
constexpr std::size_t kPermissionBytesMax = 128;

}  // namespace

Checked<json::value> StoreAccessDelegation(const json::value& given) {
  FieldErrors field_errors;
  Members members(given, {"access_delegation"}, field_errors);
  std::string mode = members.RequiredText("mode", kPermissionBytesMax);
  if (mode != "INHERIT" && mode != "EXPLICIT")
    members.Refuse("mode", "the mode must be INHERIT or EXPLICIT");
  auto permissions = members.Texts("permissions", kPermissionsMax);
  if (mode == "INHERIT" && !permissions.empty())
    members.Refuse("permissions", "permissions are not allowed with mode INHERIT");
  if (mode == "EXPLICIT" && permissions.empty())
    members.Refuse("permissions", "permissions are required with mode EXPLICIT");
  json::object stored{{"mode", mode}};
  json::array kept;
  for (const std::string& permission : permissions) {
    if (permission.empty() || permission.size() > kPermissionBytesMax)
      members.Refuse("permissions", "permissions have 1 to 128 bytes");
    kept.emplace_back(permission);
  }
  if (!kept.empty()) stored["permissions"] = std::move(kept);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return json::value(std::move(stored));
}

}  // namespace viv::langsmith
