// The account's secrets. Values come in and never go out: what is shown is their metadata.

#include "accounts/account_secrets.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/pages.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kSecretMetadataEntriesMax = 32;
constexpr std::size_t kSecretMetadataKeyBytesMax = 128;
constexpr std::size_t kSecretMetadataValueBytesMax = 1024;
constexpr std::size_t kSecretMetadataBytesMax = 8192;

using SecretMetadata = std::map<std::string, std::string>;

json::object ShowSecret(const accounts::AccountSecret& secret) {
  json::object metadata;
  for (const auto& [key, value] : secret.metadata) metadata[key] = value;
  return {{"secretID", secret.id},
          {"name", secret.name},
          {"currentVersion", secret.version},
          {"metadata", std::move(metadata)},
          {"createdAt", TimeText(secret.created_at_us)},
          {"updatedAt", TimeText(secret.updated_at_us)}};
}

// Nothing when it is absent.
std::optional<SecretMetadata> ReadSecretMetadata(http::Fields& fields) {
  if (fields.Object("metadata") == nullptr) return std::nullopt;
  SecretMetadata metadata = fields.Texts("metadata");
  std::size_t bytes = 0;
  if (metadata.size() > kSecretMetadataEntriesMax)
    fields.RefuseField("metadata", "at most 32 entries are kept");
  for (const auto& [key, value] : metadata) {
    bytes += key.size() + value.size();
    if (key.empty() || key.size() > kSecretMetadataKeyBytesMax)
      fields.RefuseField("metadata", "a key has 1 to 128 bytes");
    if (value.size() > kSecretMetadataValueBytesMax)
      fields.RefuseField("metadata", "a value has at most 1024 bytes");
  }
  if (bytes > kSecretMetadataBytesMax)
    fields.RefuseField("metadata", "at most 8192 bytes are kept in all");
  return metadata;
}

std::string ReadSecretValue(http::Fields& fields) {
  std::optional<std::string> value = fields.Text("value");
  if (!value) fields.RefuseField("value", "the secret's value is needed");
  return std::move(value).value_or("");
}

// An empty name or id leaves only the slash that the router overlooks.
bool HasEmptyId(const http::Request& request) {
  return request.path.ends_with('/');
}

http::Response NoSecret(std::string_view id_or_name) {
  return Failure(404, "Secret '" + Printable(id_or_name, 128) +
                          "' doesn't exist or you don't have access to it");
}

http::Response RenderSecretError(const Error& error, std::string_view id_or_name) {
  if (error.code != ErrorCode::kNotFound) return RenderError(error);
  return NoSecret(id_or_name);
}

}  // namespace

Task<http::Response> ListSecrets(Context& context, http::Request& request) {
  if (HasEmptyId(request)) co_return NoSecret("");
  QueryFields query(request);
  Page<accounts::AccountSecret> page =
      CutPage(query, context.secrets.List(request.identity.account_id));
  if (!query.ok()) co_return RenderError(query.error());
  json::array list;
  for (const accounts::AccountSecret& secret : page.items) list.push_back(ShowSecret(secret));
  http::Response response = http::Json(200, WriteJson(list));
  if (!page.next_token.empty()) response.headers.Set("X-Next-Token", page.next_token);
  co_return response;
}

Task<http::Response> CreateSecret(Context& context, http::Request& request) {
  if (HasEmptyId(request)) co_return NoSecret("");
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::optional<std::string> name = fields.Text("name");
  if (!name) fields.RefuseField("name", "a name for the secret is needed");
  std::string value = ReadSecretValue(fields);
  SecretMetadata metadata = ReadSecretMetadata(fields).value_or(SecretMetadata());
  if (!fields.ok()) co_return RenderError(fields.error());
  auto made = co_await context.secrets.Create(request.identity.account_id, std::move(*name),
                                              std::move(value), std::move(metadata));
  // The vendor's words and its status: waiting, as after a 429, does not help.
  if (!made && made.error().code == ErrorCode::kLimitExceeded)
    co_return Failure(409, "Project secret limit reached");
  if (!made) co_return RenderError(made.error());
  co_return http::Json(201, WriteJson(ShowSecret(*made)));
}

Task<http::Response> GetSecret(Context& context, http::Request& request) {
  std::string_view id_or_name = request.Parameter("secretID");
  auto secret = context.secrets.Get(request.identity.account_id, id_or_name);
  if (!secret) co_return RenderSecretError(secret.error(), id_or_name);
  co_return http::Json(200, WriteJson(ShowSecret(*secret)));
}

Task<http::Response> UpdateSecret(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::string value = ReadSecretValue(fields);
  std::optional<SecretMetadata> metadata = ReadSecretMetadata(fields);
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string id_or_name(request.Parameter("secretID"));
  auto secret = co_await context.secrets.Update(request.identity.account_id, id_or_name,
                                                std::move(value), std::move(metadata));
  if (!secret) co_return RenderSecretError(secret.error(), id_or_name);
  co_return http::Json(200, WriteJson(ShowSecret(*secret)));
}

Task<http::Response> RemoveSecret(Context& context, http::Request& request) {
  std::string id_or_name(request.Parameter("secretID"));
  Status removed = co_await context.secrets.Remove(request.identity.account_id, id_or_name);
  if (!removed) co_return RenderSecretError(removed.error(), id_or_name);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
