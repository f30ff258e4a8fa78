#include "dialects/langsmith/provider_auth.h"

#include <utility>

namespace viv::langsmith {
namespace {

constexpr std::size_t kArnBytesMax = 2048;

json::object StoreProviderSecret(Members& members,
                                 std::string_view name,
                                 const json::value& kept,
                                 const Sealer& sealer) {
  if (!members.Has(name)) {
    members.Refuse(name, "this secret is required");
    return {};
  }
  Members secret = members.Object(name);
  const json::value* kept_secret = Find(kept, name);
  return StoreSecret(secret, kept_secret == nullptr ? json::value() : *kept_secret, sealer,
                     Plaintext::kRefused, WorkspaceSecrets::kAllowed);
}

bool IsRoleArn(std::string_view arn) {
  if (!arn.starts_with("arn:")) return false;
  for (char c : arn)
    if (c <= ' ' || c >= 0x7f) return false;
  return arn.find(":role/") != std::string_view::npos && !arn.ends_with('/');
}

}  // namespace

json::object StoreAwsAuth(Members aws, const json::value& kept, const Sealer& sealer) {
  std::string role = aws.Text("role_arn", kArnBytesMax).value_or("");
  if (!role.empty()) {
    if (!IsRoleArn(role))
      aws.Refuse("role_arn", "a role's ARN is expected (arn:aws:iam::ACCOUNT:role/NAME)");
    if (aws.Has("access_key_id") || aws.Has("secret_access_key"))
      aws.Refuse("role_arn", "give role_arn or keys, not both");
    return {{"role_arn", role}};
  }
  json::object stored;
  for (std::string_view name : {"access_key_id", "secret_access_key"})
    stored[name] = StoreProviderSecret(aws, name, kept, sealer);
  return stored;
}

json::object StoreGcpAuth(Members gcp, const json::value& kept, const Sealer& sealer) {
  constexpr std::string_view kKey = "service_account_json";
  json::object stored;
  stored[kKey] = StoreProviderSecret(gcp, kKey, kept, sealer);
  return stored;
}

}  // namespace viv::langsmith
