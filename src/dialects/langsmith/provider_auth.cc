#include "dialects/langsmith/provider_auth.h"

#include <utility>

namespace viv::langsmith {
namespace {

constexpr std::size_t kArnBytesMax = 2048;
constexpr std::size_t kSessionTagsMax = 50;  // AWS's own limit
constexpr std::string_view kSessionTags = "session_tags";

json::object StoreProviderSecret(Members& members,
                                 std::string_view name,
                                 const json::value& kept,
                                 const AccountSealer& sealer) {
  if (!members.Has(name)) {
    members.Refuse(name, "this secret is required");
    return {};
  }
  Members secret = members.Object(name);
  const json::value* kept_secret = Find(kept, name);
  return StoreSecret(secret, kept_secret == nullptr ? json::value() : *kept_secret, sealer,
                     Plaintext::kRefused, WorkspaceSecrets::kAllowed);
}

// A token that the vendor signs for the workspace, or for one of its tags, is exchanged there.
void RefuseFederation(Members& members, std::string_view instead) {
  for (std::string_view name :
       {"subject_scope", "workload_identity_provider", "service_account_email"})
    if (members.Has(name))
      members.Refuse(name, std::string(name) + " is not available here: leave it out and give " +
                               std::string(instead));
}

bool IsRoleArn(std::string_view arn) {
  if (!arn.starts_with("arn:")) return false;
  for (char c : arn)
    if (c <= ' ' || c >= 0x7f) return false;
  return arn.find(":role/") != std::string_view::npos && !arn.ends_with('/');
}

json::object StoreAwsRole(Members& aws, const std::string& role) {
  json::object stored{{"role_arn", role}};
  if (!IsRoleArn(role))
    aws.Refuse("role_arn", "a role's ARN is expected (arn:aws:iam::ACCOUNT:role/NAME)");
  if (aws.Has("access_key_id") || aws.Has("secret_access_key"))
    aws.Refuse("role_arn", "give role_arn or keys, not both");
  if (!aws.Has(kSessionTags)) return stored;
  json::object tags;
  for (const auto& [key, value] : aws.Map(kSessionTags, kSessionTagsMax)) {
    if (key.empty() || value.empty())
      aws.Refuse(kSessionTags, "keys and values of tags are not empty");
    tags[key] = value;
  }
  stored[kSessionTags] = std::move(tags);
  return stored;
}

}  // namespace

json::object StoreAwsAuth(Members aws, const json::value& kept, const AccountSealer& sealer) {
  RefuseFederation(aws, "access_key_id and secret_access_key");
  std::string role = aws.Text("role_arn", kArnBytesMax).value_or("");
  if (!role.empty()) return StoreAwsRole(aws, role);
  if (!aws.Map(kSessionTags, kSessionTagsMax).empty())
    aws.Refuse(kSessionTags, "session_tags requires role_arn");
  json::object stored;
  for (std::string_view name : {"access_key_id", "secret_access_key"})
    stored[name] = StoreProviderSecret(aws, name, kept, sealer);
  return stored;
}

json::object StoreGcpAuth(Members gcp, const json::value& kept, const AccountSealer& sealer) {
  constexpr std::string_view kKey = "service_account_json";
  RefuseFederation(gcp, kKey);
  json::object stored;
  stored[kKey] = StoreProviderSecret(gcp, kKey, kept, sealer);
  return stored;
}

}  // namespace viv::langsmith
