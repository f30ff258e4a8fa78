#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {

// PATCH: sets the account's snapshot, its repository's URL, or both; without either it shows the
// row.
Task<http::Response> UpdateAccount(Context& context, http::Request& request) {
  BodyFields fields(request);
  std::optional<std::string> snapshot_id = fields.Text("snapshotId");
  std::optional<std::string> github_repo = fields.Url("github_repo");
  std::optional<std::string> account_uuid = fields.MaybeEmptyText("account_id");
  if (snapshot_id && snapshot_id->size() > 256)
    fields.Refuse("snapshotId", "at most 256 characters are expected");
  if (!fields.ok()) co_return fields.failure();
  auto account_id = AccountOf(context, request, account_uuid);
  if (!account_id) co_return AccountFailure(account_id.error());

  const std::string origin = OriginOf(context, request);
  if (!snapshot_id && !github_repo) {
    std::optional<AccountRow> row = FindAccountRow(context, *account_id);
    if (!row) co_return http::Json(200, "null");
    co_return http::Json(200, WriteJson(ShowAccountRow(context, origin, *row)));
  }
  AccountRow row = FindOrMakeAccountRow(context, *account_id);
  if (snapshot_id) row.SetSnapshot(*snapshot_id, context.clock() * 1000);
  if (github_repo) row.github_repo = *github_repo;
  Status kept = co_await SaveAccountRow(context, row);
  if (!kept) co_return FailureOf(kept.error());
  co_return http::Json(200, WriteJson(ShowAccountRow(context, origin, row)));
}

}  // namespace viv::recoup
