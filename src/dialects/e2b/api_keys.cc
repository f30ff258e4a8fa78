#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

constexpr std::string_view kKeyPrefix = "e2b_";
constexpr std::int64_t kKeyDigits = 40;

// Of a key only its digest and first characters are kept, so no suffix can be shown.
json::object ShowKey(const store::Key& key) {
  std::string_view shown = key.prefix;
  bool is_ours = shown.starts_with(kKeyPrefix);
  if (is_ours) shown.remove_prefix(kKeyPrefix.size());
  json::object mask{{"prefix", is_ours ? kKeyPrefix : std::string_view()},
                    {"valueLength", kKeyDigits},
                    {"maskedValuePrefix", Printable(shown)},
                    {"maskedValueSuffix", ""}};
  return {{"id", key.id},
          {"name", Printable(key.name)},
          {"mask", std::move(mask)},
          {"createdAt", TimeText(key.created_at_us)},
          {"createdBy", nullptr},
          {"lastUsed", nullptr}};
}

http::Response NoSuchKey() {
  return Failure(404, "The API key doesn't exist or you don't have access to it");
}

Result<bool> HasKey(const Context& context, const http::Request& request) {
  ASSIGN_OR_RETURN(std::vector<store::Key> keys,
                   context.accounts.ListKeys(request.identity.account_id));
  for (const store::Key& key : keys) {
    if (key.id == request.Parameter("apiKeyID") && !key.revoked_at_us) return true;
  }
  return false;
}

}  // namespace

Task<http::Response> ListApiKeys(Context& context, http::Request& request) {
  auto keys = context.accounts.ListKeys(request.identity.account_id);
  if (!keys) co_return RenderError(keys.error());
  json::array list;
  for (const store::Key& key : *keys) {
    if (!key.revoked_at_us) list.push_back(ShowKey(key));
  }
  co_return http::Json(200, WriteJson(list));
}

Task<http::Response> CreateApiKey(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::optional<std::string> name = fields.Text("name");
  if (!name || name->empty()) fields.Refuse("name: a name for the key is needed");
  if (!fields.ok()) co_return RenderError(fields.error());
  auto made = context.accounts.CreateKey(request.identity.account_id, std::move(*name));
  if (!made) co_return RenderError(made.error());
  json::object response = ShowKey(made->record);
  response["key"] = made->key;
  co_return http::Json(201, WriteJson(response));
}

Task<http::Response> RenameApiKey(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::optional<std::string> name = fields.Text("name");
  if (!name || name->empty()) fields.Refuse("name: a name for the key is needed");
  if (!fields.ok()) co_return RenderError(fields.error());
  auto has = HasKey(context, request);
  if (!has) co_return RenderError(has.error());
  if (!*has) co_return NoSuchKey();
  co_return Failure(400,
                    "A key keeps the name it was made with; create another one and delete this");
}

Task<http::Response> RemoveApiKey(Context& context, http::Request& request) {
  auto has = HasKey(context, request);
  if (!has) co_return RenderError(has.error());
  if (!*has) co_return NoSuchKey();
  Status revoked =
      context.accounts.RevokeKey(request.identity.account_id, request.Parameter("apiKeyID"));
  if (!revoked) co_return RenderError(revoked.error());
  co_return http::Empty(204);
}

}  // namespace viv::e2b
