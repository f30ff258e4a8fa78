#pragma once
// The one row of an account: the snapshot that its sandboxes start from, for a week, and the URL of
// its repository. An account's own repository, which this server keeps, is its URL unless the user
// named another one.

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"

namespace viv::recoup {

struct AccountRow {
  std::string account_id;
  std::optional<std::string> snapshot_id;
  std::optional<std::int64_t> expires_at_us;  // of the snapshot
  std::optional<std::string> github_repo;     // as the user set it
  std::int64_t created_at_us = 0;

  void SetSnapshot(std::string id, std::int64_t now_us);  // for a week
};

std::optional<AccountRow> FindAccountRow(const Context& context, const std::string& account_id);
// A new row when there is none; it is not stored yet.
AccountRow FindOrMakeAccountRow(const Context& context, const std::string& account_id);
Task<Status> SaveAccountRow(Context& context, AccountRow row);

// "http://host:port" that links begin with.
std::string OriginOf(const Context& context, const http::Request& request);
// What the account has as its repository; nothing when there is none.
std::optional<std::string> RepositoryUrlOf(const Context& context,
                                           const std::string& origin,
                                           const std::string& account_id);
// The account whose repository of ours `url` is, if `caller` may use it.
std::optional<std::string> OwnerOfRepository(const Context& context,
                                             const std::string& origin,
                                             const std::string& caller,
                                             std::string_view url);

json::object ShowAccountRow(const Context& context,
                            const std::string& origin,
                            const AccountRow& row);

// The domain's name of a snapshot as this API writes it, and back.
std::string SnapshotIdOf(std::string_view template_id);
std::string TemplateOfSnapshot(std::string_view snapshot_id);

// Snapshots that setup made are named after their run, so that they can be found and removed.
std::string SetupSnapshotName(std::string_view run_id);
// Removes the row's snapshot if setup created it and no box uses it.
Task<void> RemoveSetupSnapshot(Context& context, AccountRow row);

}  // namespace viv::recoup
