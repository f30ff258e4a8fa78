#include "base/clock.h"
#include "dialects/dashboard/context.h"
#include "http/fields.h"

namespace viv::dashboard {
namespace {

http::Response OperatorOnly() {
  return Failure(
      403, "permission_denied",
      "organizations and accounts are managed by the operator: use the server's own key");
}

json::object DescribeOrganization(const store::Organization& organization) {
  return {{"id", organization.id},
          {"name", organization.name},
          {"created_at", IsoMicros(organization.created_at_us)}};
}

json::object DescribeAccount(const Context& context, const store::Account& account) {
  return {{"id", account.id},
          {"uuid", context.accounts.UuidOf(account.id)},
          {"name", account.name},
          {"organization_id", account.organization_id},
          {"created_at", IsoMicros(account.created_at_us)}};
}

http::Response BadFields(const http::Fields& fields) {
  return Failure(400, "invalid_argument", fields.error().message);
}

}  // namespace

bool IsOperator(const http::Request& request) {
  return request.identity.account_id == accounts::kDefaultAccount;
}

Task<http::Response> CreateOrganization(Context& context, http::Request& request) {
  if (!IsOperator(request)) co_return OperatorOnly();
  http::Fields fields(request, http::Fields::Body::kRequired);
  auto name = fields.Text("name");
  if (!fields.ok()) co_return BadFields(fields);
  auto made = context.accounts.CreateOrganization(name.value_or(""));
  if (!made) co_return RenderError(made.error());
  co_return http::Json(201, WriteJson(DescribeOrganization(*made)));
}

Task<http::Response> ListOrganizations(Context& context, http::Request& request) {
  if (!IsOperator(request)) co_return OperatorOnly();
  auto organizations = context.accounts.ListOrganizations();
  if (!organizations) co_return RenderError(organizations.error());
  json::array list;
  for (const auto& organization : *organizations)
    list.push_back(DescribeOrganization(organization));
  co_return http::Json(200, WriteJson(json::object{{"organizations", std::move(list)}}));
}

// The answer has the account's first key, which is shown only here.
Task<http::Response> CreateAccount(Context& context, http::Request& request) {
  if (!IsOperator(request)) co_return OperatorOnly();
  http::Fields fields(request, http::Fields::Body::kRequired);
  auto name = fields.Text("name");
  auto organization = fields.Text("organization");
  if (!fields.ok()) co_return BadFields(fields);
  auto made = context.accounts.CreateAccount(name.value_or(""), organization.value_or(""));
  if (!made) co_return RenderError(made.error());
  auto key = context.accounts.CreateKey(made->id, "first");
  if (!key) co_return RenderError(key.error());
  json::object response = DescribeAccount(context, *made);
  response["key"] = key->key;
  response["key_id"] = key->record.id;
  co_return http::Json(201, WriteJson(response));
}

Task<http::Response> ListAccounts(Context& context, http::Request& request) {
  if (!IsOperator(request)) co_return OperatorOnly();
  auto accounts = context.accounts.ListAccounts();
  if (!accounts) co_return RenderError(accounts.error());
  json::array list;
  for (const store::Account& account : *accounts) list.push_back(DescribeAccount(context, account));
  co_return http::Json(200, WriteJson(json::object{{"accounts", std::move(list)}}));
}

Task<http::Response> MoveAccount(Context& context, http::Request& request) {
  if (!IsOperator(request)) co_return OperatorOnly();
  http::Fields fields(request, http::Fields::Body::kRequired);
  auto account = fields.Text("account");
  if (!fields.ok()) co_return BadFields(fields);
  if (!account) co_return Failure(400, "invalid_argument", "account: which one, by name or id?");
  Status moved = context.accounts.MoveAccount(*account, request.Parameter("organization"));
  if (!moved) co_return RenderError(moved.error());
  auto found = context.accounts.FindAccount(*account);
  if (!found) co_return RenderError(found.error());
  co_return http::Json(200, WriteJson(DescribeAccount(context, *found)));
}

}  // namespace viv::dashboard
