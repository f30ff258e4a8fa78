// The limits and usage of accounts. Every account sees its own; the operator sees and sets those of
// all.

#include "base/json.h"
#include "dialects/dashboard/context.h"

namespace viv::dashboard {
namespace {

constexpr std::string_view kOwnAccount = "me";

// The account of the path, if the caller may look at it. To others it does not exist.
Result<store::Account> LookedAt(const Context& context, const http::Request& request) {
  const std::string_view named = request.Parameter("account");
  const std::string& caller = request.identity.account_id;
  auto found =
      context.accounts.FindAccount(named == kOwnAccount ? std::string_view(caller) : named);
  if (!found) found = context.accounts.FindByUuid(named);
  if (found && (IsOperator(request) || context.accounts.MayActFor(caller, found->id))) return found;
  return Fail(ErrorCode::kNotFound, "there is no such account");
}

Status CheckOperator(const http::Request& request) {
  if (IsOperator(request)) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "limits are set by the operator: use the server's own key");
}

http::Response ShowLimits(const Context& context, const store::Account& account) {
  json::object body{{"account_id", account.id},
                    {"account", account.name},
                    {"limits", accounts::DescribeLimits(context.budgets->LimitsOf(account.id))}};
  return http::Json(200, WriteJson(body));
}

http::Response NoBudgets() {
  return Failure(503, "unavailable", "this server has no limits for accounts");
}

Task<http::Response> Set(Context& context, store::Account account, accounts::AccountLimits limits) {
  Status set = co_await context.budgets->SetLimits(account.id, limits);
  if (!set) co_return RenderError(set.error());
  co_return ShowLimits(context, account);
}

}  // namespace

Task<http::Response> GetLimits(Context& context, http::Request& request) {
  if (context.budgets == nullptr) co_return NoBudgets();
  auto account = LookedAt(context, request);
  if (!account) co_return RenderError(account.error());
  co_return ShowLimits(context, *account);
}

Task<http::Response> ChangeLimits(Context& context, http::Request& request) {
  if (context.budgets == nullptr) co_return NoBudgets();
  if (Status allowed = CheckOperator(request); !allowed) co_return RenderError(allowed.error());
  auto account = LookedAt(context, request);
  if (!account) co_return RenderError(account.error());
  auto body = ParseJson(request.body);
  if (!body) co_return RenderError(body.error());
  if (!body->is_object()) co_return Failure(400, "invalid_argument", "an object is expected");
  auto limits =
      accounts::ApplyLimitChanges(context.budgets->LimitsOf(account->id), body->get_object());
  if (!limits) co_return RenderError(limits.error());
  co_return co_await Set(context, *std::move(account), *limits);
}

Task<http::Response> ClearLimits(Context& context, http::Request& request) {
  if (context.budgets == nullptr) co_return NoBudgets();
  if (Status allowed = CheckOperator(request); !allowed) co_return RenderError(allowed.error());
  auto account = LookedAt(context, request);
  if (!account) co_return RenderError(account.error());
  accounts::AccountLimits none;
  co_return co_await Set(context, *std::move(account), none);
}

// "most" is what the account may have as things are now: its limit, or its fair share.
Task<http::Response> GetUsage(Context& context, http::Request& request) {
  if (context.budgets == nullptr) co_return NoBudgets();
  auto account = LookedAt(context, request);
  if (!account) co_return RenderError(account.error());
  if (context.repository_bytes) {
    auto bytes = co_await context.repository_bytes(account->id);
    if (bytes) context.budgets->SetUsed(account->id, accounts::Budget::kRepositoryBytes, *bytes);
  }
  accounts::Budgets& budgets = *context.budgets;
  json::object body{{"account_id", account->id},
                    {"account", account->name},
                    {"usage", accounts::DescribeAmounts(budgets.UsageOf(account->id))},
                    {"limits", accounts::DescribeLimits(budgets.LimitsOf(account->id))},
                    {"most", accounts::DescribeLimits(budgets.EffectiveLimitsOf(account->id))}};
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::dashboard
