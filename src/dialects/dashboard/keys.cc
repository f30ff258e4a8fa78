#include "base/clock.h"
#include "base/text.h"
#include "dialects/dashboard/context.h"

namespace viv::dashboard {
namespace {

json::object Describe(const store::Key& key) {
  return {{"id", key.id},
          {"name", key.name},
          {"prefix", key.prefix},
          {"created_at", IsoMicros(key.created_at_us)},
          {"revoked_at",
           key.revoked_at_us ? json::value(IsoMicros(*key.revoked_at_us)) : json::value()}};
}

// The account that a key is for: the caller's own, or any that the operator names.
Result<std::string> AccountOfKey(const Context& context,
                                 const http::Request& request,
                                 const json::value& body) {
  const json::value* given = Find(body, "account");
  if (given == nullptr || given->is_null()) return request.identity.account_id;
  if (!given->is_string()) return Fail(ErrorCode::kInvalidArgument, "account: text is expected");
  if (!IsOperator(request))
    return Fail(ErrorCode::kPermissionDenied,
                "keys of other accounts are made by the operator: use the server's own key");
  ASSIGN_OR_RETURN(store::Account account, context.accounts.FindAccount(View(given->get_string())));
  return account.id;
}

}  // namespace

Task<http::Response> CreateKey(Context& context, http::Request& request) {
  std::string name = "unnamed";
  std::string account_id = request.identity.account_id;
  if (!Trim(request.body).empty()) {
    auto body = ParseJson(request.body);
    if (!body) co_return RenderError(body.error());
    if (const json::value* given = Find(*body, "name")) {
      if (!given->is_string()) co_return Failure(400, "invalid_argument", "name: text is expected");
      name = std::string(given->get_string());
    }
    auto account = AccountOfKey(context, request, *body);
    if (!account) co_return RenderError(account.error());
    account_id = *std::move(account);
  }
  auto made = context.accounts.CreateKey(account_id, std::move(name));
  if (!made) co_return RenderError(made.error());
  json::object response = Describe(made->record);
  response["key"] = made->key;
  co_return http::Json(201, WriteJson(response));
}

Task<http::Response> ListKeys(Context& context, http::Request& request) {
  auto keys = context.accounts.ListKeys(request.identity.account_id);
  if (!keys) co_return RenderError(keys.error());
  json::array list;
  for (const store::Key& key : *keys) list.push_back(Describe(key));
  co_return http::Json(200, WriteJson(json::object{{"keys", std::move(list)}}));
}

Task<http::Response> RevokeKey(Context& context, http::Request& request) {
  Status revoked = context.accounts.RevokeKey(request.identity.account_id, request.Parameter("id"));
  if (!revoked) co_return RenderError(revoked.error());
  co_return http::Empty(204);
}

// `id` is a key of the caller's account; "own" is the one that it calls with.
Task<http::Response> RotateKey(Context& context, http::Request& request) {
  std::string id(request.Parameter("id"));
  if (id == "own") id = request.identity.key_id;
  auto keep = [&context, &id](const accounts::Accounts::NewKey& fresh) {
    return context.replace_server_key ? context.replace_server_key(id, fresh) : Status();
  };
  auto rotated = context.accounts.RotateKey(request.identity.account_id, id, keep);
  if (!rotated) co_return RenderError(rotated.error());
  json::object response = Describe(rotated->record);
  response["key"] = rotated->key;
  response["replaces"] = id;
  co_return http::Json(201, WriteJson(response));
}

}  // namespace viv::dashboard
