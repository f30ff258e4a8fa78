#include "dialects/recoup/account_row.h"

#include <algorithm>

#include "base/log.h"
#include "base/timestamp.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

constexpr std::int64_t kSnapshotLifeUs = 7LL * 24 * 3600 * 1'000'000;
constexpr std::string_view kSnapshotPrefix = "snap_";
constexpr std::string_view kSetupPrefix = "recoup-setup-";

json::value TextOrNull(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::value TimeOrNull(const std::optional<std::int64_t>& micros) {
  return micros ? json::value(IsoMs(*micros)) : json::value(nullptr);
}

std::optional<std::string> TextMember(const json::value& body, std::string_view name) {
  const json::value* value = Find(body, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(View(value->get_string()));
}

}  // namespace

void AccountRow::SetSnapshot(std::string id, std::int64_t now_us) {
  snapshot_id = std::move(id);
  expires_at_us = now_us + kSnapshotLifeUs;
}

std::optional<AccountRow> FindAccountRow(const Context& context, const std::string& account_id) {
  accounts::DocumentTable::EntryPtr entry = context.account_rows.Find(account_id);
  if (entry == nullptr) return std::nullopt;
  AccountRow row;
  row.account_id = account_id;
  row.snapshot_id = TextMember(entry->body, "snapshot_id");
  row.expires_at_us = ParseTime(FindString(entry->body, "expires_at"));
  row.github_repo = TextMember(entry->body, "github_repo");
  row.created_at_us = ParseTime(FindString(entry->body, "created_at")).value_or(0);
  return row;
}

AccountRow FindOrMakeAccountRow(const Context& context, const std::string& account_id) {
  if (std::optional<AccountRow> found = FindAccountRow(context, account_id)) return *found;
  AccountRow row;
  row.account_id = account_id;
  row.created_at_us = context.clock() * 1000;
  return row;
}

Task<Status> SaveAccountRow(Context& context, AccountRow row) {
  json::object body{
      {"snapshot_id", TextOrNull(row.snapshot_id)},
      {"expires_at", TimeOrNull(row.expires_at_us)},
      {"github_repo", TextOrNull(row.github_repo)},
      {"created_at", IsoMs(row.created_at_us)},
  };
  accounts::DocumentTable::Entry entry{row.account_id, row.account_id, std::move(body)};
  return context.account_rows.Put(std::move(entry));
}

std::string OriginOf(const Context& context, const http::Request& request) {
  return context.public_url.empty() ? request.BaseUrl() : context.public_url;
}

std::optional<std::string> RepositoryUrlOf(const Context& context,
                                           const std::string& origin,
                                           const std::string& account_id) {
  std::optional<AccountRow> row = FindAccountRow(context, account_id);
  if (row && row->github_repo) return row->github_repo;
  if (!context.repositories.Has(account_id)) return std::nullopt;
  return origin + "/git/" + context.accounts.UuidOf(account_id) + ".git";
}

std::optional<std::string> OwnerOfRepository(const Context& context,
                                             const std::string& origin,
                                             const std::string& caller,
                                             std::string_view url) {
  const std::string prefix = origin + "/git/";
  if (!url.starts_with(prefix)) return std::nullopt;
  url.remove_prefix(prefix.size());
  if (url.ends_with(".git")) url.remove_suffix(4);
  auto owner = context.accounts.FindByUuid(url);
  if (!owner || !context.accounts.MayActFor(caller, owner->id)) return std::nullopt;
  return owner->id;
}

json::object ShowAccountRow(const Context& context,
                            const std::string& origin,
                            const AccountRow& row) {
  return {
      {"account_id", context.accounts.UuidOf(row.account_id)},
      {"snapshot_id", TextOrNull(row.snapshot_id)},
      {"expires_at", TimeOrNull(row.expires_at_us)},
      {"github_repo", TextOrNull(RepositoryUrlOf(context, origin, row.account_id))},
      {"created_at", IsoMs(row.created_at_us)},
  };
}

std::string SnapshotIdOf(std::string_view template_id) {
  return std::string(kSnapshotPrefix) + std::string(template_id);
}

std::string TemplateOfSnapshot(std::string_view snapshot_id) {
  if (snapshot_id.starts_with(kSnapshotPrefix)) snapshot_id.remove_prefix(kSnapshotPrefix.size());
  return std::string(snapshot_id);
}

std::string SetupSnapshotName(std::string_view run_id) {
  std::string name = std::string(kSetupPrefix) + std::string(run_id);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Task<void> RemoveSetupSnapshot(Context& context, AccountRow row) {
  if (!row.snapshot_id) co_return;
  const std::string id = TemplateOfSnapshot(*row.snapshot_id);
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(row.account_id)) {
    const bool by_setup =
        std::any_of(info.names.begin(), info.names.end(),
                    [](const std::string& name) { return name.starts_with(kSetupPrefix); });
    if (info.id != id || !info.is_snapshot || !by_setup) continue;
    Status removed = co_await context.boxes.RemoveTemplate(row.account_id, id);
    if (!removed)
      log::Info("recoup.snapshot_stays", {{"snapshot", id}, {"reason", removed.error().message}});
    co_return;
  }
}

}  // namespace viv::recoup
