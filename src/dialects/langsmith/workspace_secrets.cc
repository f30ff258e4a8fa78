// /workspaces/current/secrets: the names that "{NAME}" in a workspace_secret refers to. They are
// the account's secrets, which E2B's clients see under /secrets as well, so names that differ in
// case only are one; how a client spells a name is kept with it and shown again. Values are taken
// and never given.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "accounts/secret_references.h"
#include "base/text.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/secret_value.h"

namespace viv::langsmith {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr std::size_t kSecretsPerCallMax = 100;
constexpr char kSpelling[] = "langsmith_key";  // in the secret's metadata

struct SecretUpsert {
  std::string key;
  std::optional<std::string> value;  // none: it is removed
};

std::optional<std::string> SecretKeyError(std::string_view key) {
  if (!accounts::IsSecretName(key)) return "1 to 128 letters, digits, '_' and '-' are expected";
  if (ToLower(key).starts_with("sec_")) return "names that begin with sec_ are those of ids";
  return std::nullopt;
}

SecretUpsert ReadUpsert(const json::value& item, FieldPath place, FieldErrors& field_errors) {
  Members members(item, std::move(place), field_errors);
  SecretUpsert upsert;
  upsert.key = members.Text("key").value_or("");
  if (auto why = SecretKeyError(upsert.key)) members.Refuse("key", *std::move(why));
  if (item.is_object() && Find(item, "value") == nullptr)
    members.Refuse("value", "a text is required, or null to remove the secret");
  upsert.value = members.Text("value", kSecretBytesMax);
  if (upsert.value && upsert.value->empty())
    members.Refuse("value", "a secret is not empty; null removes it");
  if (upsert.value && upsert.value->find('\0') != std::string::npos)
    members.Refuse("value", "a secret has no NUL bytes");
  return upsert;
}

Checked<std::vector<SecretUpsert>> ReadUpserts(const json::value& body) {
  const json::array* items = body.if_array();
  if (items == nullptr) return FailField({}, "an array of {\"key\", \"value\"} is expected");
  if (items->size() > kSecretsPerCallMax) return FailField({}, "at most 100 secrets are expected");
  FieldErrors field_errors;
  std::vector<SecretUpsert> upserts;
  for (const json::value& item : *items)
    upserts.push_back(ReadUpsert(item, {std::to_string(upserts.size())}, field_errors));
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return upserts;
}

// The client need not know whether the secret existed, or whether another client creates it at the
// same time.
Task<Status> Upsert(Context& context, std::string account_id, SecretUpsert upsert) {
  accounts::AccountSecrets& secrets = context.account_secrets;
  auto found = secrets.Get(account_id, upsert.key);
  if (!upsert.value) {
    if (!found) co_return Status();
    Status removed = co_await secrets.Remove(account_id, found->id);
    if (removed || removed.error().code == ErrorCode::kNotFound) co_return Status();
    co_return removed;
  }
  if (!found) {
    Metadata spelled{{kSpelling, upsert.key}};
    auto made = co_await secrets.Create(account_id, upsert.key, *upsert.value, std::move(spelled));
    if (made) co_return Status();
    if (made.error().code != ErrorCode::kConflict) co_return PassUp(std::move(made).error());
    found = secrets.Get(account_id, upsert.key);
  }
  std::optional<Metadata> metadata = found ? found->metadata : Metadata();
  (*metadata)[kSpelling] = upsert.key;
  auto updated = co_await secrets.Update(account_id, upsert.key, *std::move(upsert.value),
                                         std::move(metadata));
  if (!updated) co_return PassUp(std::move(updated).error());
  co_return Status();
}

Task<http::Response> UpsertSecrets(Context& context, http::Request& request) {
  auto body = ReadJsonBody(request);
  if (!body) co_return std::move(body.error());
  auto upserts = ReadUpserts(*body);
  if (!upserts) co_return RenderFieldError(upserts.error());
  for (SecretUpsert& upsert : *upserts) {
    Status done = co_await Upsert(context, request.identity.account_id, std::move(upsert));
    if (done) continue;
    if (done.error().code == ErrorCode::kLimitExceeded)
      co_return Failure(429, "QuotaExceeded", done.error().message);
    co_return FailureOf(done.error());
  }
  co_return http::Json(200, "{}");
}

Task<http::Response> ListSecretKeys(Context& context, http::Request& request) {
  std::vector<std::string> keys;
  for (const auto& secret : context.account_secrets.List(request.identity.account_id)) {
    auto spelled = secret.metadata.find(kSpelling);
    const bool known =
        spelled != secret.metadata.end() && EqualsIgnoreCase(spelled->second, secret.name);
    keys.push_back(known ? spelled->second : secret.name);
  }
  std::sort(keys.begin(), keys.end());
  json::array list;
  for (const std::string& key : keys) list.push_back(json::object{{"key", key}});
  co_return http::Json(200, WriteJson(list));
}

}  // namespace

http::RouteTable<Context> WorkspaceRoutes() {
  static constexpr http::RouteEntry<Context> kWorkspaceRoutes[] = {
      {"GET", "/workspaces/current/secrets", ListSecretKeys},
      {"POST", "/workspaces/current/secrets", UpsertSecrets},
  };
  return kWorkspaceRoutes;
}

}  // namespace viv::langsmith
