#include "base/log.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {

// DELETE: the account's repository and row go, its sandboxes stay.
Task<http::Response> DeleteAccount(Context& context, http::Request& request) {
  BodyFields fields(request);
  std::optional<std::string> account_uuid = fields.MaybeEmptyText("account_id");
  if (!fields.ok()) co_return fields.failure();
  auto account_id = AccountOf(context, request, account_uuid);
  if (!account_id) co_return AccountFailure(account_id.error());

  // Shown as it was: the repository's URL is part of it.
  std::optional<AccountRow> row = FindAccountRow(context, *account_id);
  json::value shown = nullptr;
  if (row) shown = ShowAccountRow(context, OriginOf(context, request), *row);
  Status removed = co_await context.repositories.Remove(*account_id);
  if (!removed) {
    log::Error("recoup.repository_stays", {{"error", removed.error().message}});
    co_return Failure(500, "Failed to delete GitHub repository");
  }
  if (row) {
    removed = co_await context.account_rows.Remove(*account_id);
    if (!removed) co_return FailureOf(removed.error());
    co_await RemoveSetupSnapshot(context, *row);
  }
  json::object body{{"status", "success"}, {"deleted_snapshot", std::move(shown)}};
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::recoup
