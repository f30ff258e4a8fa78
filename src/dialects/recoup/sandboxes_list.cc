#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

std::vector<boxes::BoxPtr> AllBoxesOf(const Context& context, const std::string& account_id) {
  boxes::BoxQuery query;
  query.account_id = account_id;
  query.limit = SIZE_MAX;  // this API has no pages
  std::vector<boxes::BoxPtr> boxes = context.boxes.List(query).boxes;
  // The domain's order is by start, which a resume moves.
  std::stable_sort(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) {
    return a->created_at_us > b->created_at_us;
  });
  return boxes;
}

// One of the account's, or of another account that the caller may act for when it named none; what
// is foreign or unknown is nothing.
std::vector<boxes::BoxPtr> TheBoxIfAny(const Context& context,
                                       const http::Request& request,
                                       const std::string& account_id,
                                       std::string_view sandbox_id) {
  std::optional<std::string> id = BoxIdOf(sandbox_id);
  if (!id) return {};
  auto box = context.boxes.Find(*id);
  if (!box) return {};
  const std::string& owner = (*box)->account_id;
  const bool named = request.Query("account_id").has_value();
  const bool may = owner == account_id ||
                   (!named && context.accounts.MayActFor(request.identity.account_id, owner));
  if (!may) return {};
  return {*box};
}

json::value ShowTreeEntry(const git::Repositories::TreeEntry& entry) {
  json::object shown{
      {"path", Printable(entry.path, 4096)},
      {"type", entry.is_folder ? "tree" : "blob"},
      {"sha", entry.sha},
  };
  if (entry.size) shown["size"] = *entry.size;
  return shown;
}

// Null when there is none, when it is kept elsewhere, or when it cannot be read.
Task<json::value> FileTreeOf(Context& context,
                             std::string origin,
                             std::string account_id,
                             std::optional<std::string> url) {
  if (!url) co_return nullptr;
  std::optional<std::string> owner = OwnerOfRepository(context, origin, account_id, *url);
  if (!owner) co_return nullptr;
  auto tree = co_await context.repositories.Tree(*owner);
  if (!tree) co_return nullptr;
  json::array shown;
  shown.reserve(tree->size());
  for (const auto& entry : *tree) shown.push_back(ShowTreeEntry(entry));
  co_return shown;
}

}  // namespace

Task<http::Response> ListSandboxes(Context& context, http::Request& request) {
  auto account_id = AccountOfQuery(context, request);
  if (!account_id) co_return AccountFailure(account_id.error());
  std::optional<std::string> wanted = request.Query("sandbox_id");
  std::vector<boxes::BoxPtr> boxes = wanted ? TheBoxIfAny(context, request, *account_id, *wanted)
                                            : AllBoxesOf(context, *account_id);
  const std::int64_t now_ms = context.clock();
  json::array shown;
  shown.reserve(boxes.size());
  for (const boxes::BoxPtr& box : boxes) shown.push_back(ShowSandbox(*box, now_ms));
  json::object body{{"status", "success"},
                    {"sandboxes", std::move(shown)},
                    {"snapshot_id", nullptr},
                    {"github_repo", nullptr}};
  std::optional<AccountRow> row = FindAccountRow(context, *account_id);
  if (row && row->snapshot_id) body["snapshot_id"] = *row->snapshot_id;
  std::string origin = OriginOf(context, request);
  std::optional<std::string> url = RepositoryUrlOf(context, origin, *account_id);
  if (url) body["github_repo"] = *url;
  body["filetree"] = co_await FileTreeOf(context, std::move(origin), *account_id, std::move(url));
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::recoup
