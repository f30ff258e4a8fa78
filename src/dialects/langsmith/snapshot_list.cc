#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "dialects/langsmith/box_query.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/snapshot_operations.h"
#include "dialects/langsmith/snapshot_shape.h"

namespace viv::langsmith {
namespace {

constexpr std::string_view kSnapshotStatuses[] = {"building", "ready", "failed", "deleting"};

// The query of a list of boxes in all but what a status may be and what has an order.
Result<BoxListQuery> ReadSnapshotQuery(const http::Request& request) {
  http::Request plain;
  for (std::string_view pair : Split(request.query, '&')) {
    if (pair.substr(0, pair.find('=')) == "status") continue;
    if (!plain.query.empty()) plain.query += '&';
    plain.query += pair;
  }
  ASSIGN_OR_RETURN(BoxListQuery query, ReadBoxQuery(plain, request.identity.account_id));
  if (query.sort != BoxSort::kName && query.sort != BoxSort::kState &&
      query.sort != BoxSort::kCreation)
    return Fail(ErrorCode::kInvalidArgument, "sort_by: name, status or created_at is expected");
  query.filter.status = request.Query("status").value_or("");
  const bool known = std::find(std::begin(kSnapshotStatuses), std::end(kSnapshotStatuses),
                               query.filter.status) != std::end(kSnapshotStatuses);
  if (!query.filter.status.empty() && !known)
    return Fail(ErrorCode::kInvalidArgument,
                "status: building, ready, failed or deleting is expected");
  return query;
}

bool FitsFilter(const KnownSnapshot& snapshot, const BoxFilter& filter) {
  if (!filter.status.empty() && NameOfStatus(snapshot.status) != filter.status) return false;
  if (ToLower(snapshot.name).find(filter.name_part) == std::string::npos) return false;
  return std::all_of(filter.labels.begin(), filter.labels.end(), [&](const auto& wanted) {
    auto found = snapshot.labels.find(wanted.key);
    return found != snapshot.labels.end() && (!wanted.value || found->second == *wanted.value);
  });
}

BoxSortKey SortKeyOf(BoxSort sort, const KnownSnapshot& snapshot) {
  switch (sort) {
    case BoxSort::kName:
      return {0, snapshot.name, snapshot.id};
    case BoxSort::kState:
      return {0, std::string(NameOfStatus(snapshot.status)), snapshot.id};
    default:
      return {snapshot.created_at_us, "", snapshot.id};
  }
}

struct SortedSnapshot {
  BoxSortKey sort_key;
  const KnownSnapshot* snapshot;
};

// Those that fit, from where the query begins, in its order.
std::vector<SortedSnapshot> SortSnapshots(const std::vector<KnownSnapshot>& all,
                                          const BoxListQuery& query) {
  auto before = [&query](const BoxSortKey& a, const BoxSortKey& b) {
    const auto left = std::tie(a.number, a.text, a.id), right = std::tie(b.number, b.text, b.id);
    return query.order == SortOrder::kAscending ? left < right : right < left;
  };
  std::vector<SortedSnapshot> sorted;
  for (const KnownSnapshot& one : all) {
    if (!FitsFilter(one, query.filter)) continue;
    BoxSortKey sort_key = SortKeyOf(query.sort, one);
    if (query.after && !before(*query.after, sort_key)) continue;
    sorted.push_back({std::move(sort_key), &one});
  }
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto& a, const auto& b) { return before(a.sort_key, b.sort_key); });
  return sorted;
}

}  // namespace

// Older clients read `snapshots` and `offset` (of the next page, 0 at the end), newer ones `items`
// and `next_cursor`.
Task<http::Response> ListSnapshots(SnapshotWriter& writer, http::Request& request) {
  auto query = ReadSnapshotQuery(request);
  if (!query) co_return Failure(400, "InvalidRequest", query.error().message);
  const std::vector<KnownSnapshot> all =
      KnownSnapshots(writer.context(), request.identity.account_id);
  const std::vector<SortedSnapshot> sorted = SortSnapshots(all, *query);
  const std::size_t begin = std::min(query->offset, sorted.size());
  const std::size_t end = std::min(begin + query->limit, sorted.size());
  json::array items;
  for (std::size_t i = begin; i < end; ++i) items.push_back(ShowSnapshot(*sorted[i].snapshot));
  const bool more = end < sorted.size() && end > begin;
  json::object page;
  page["snapshots"] = items;
  page["items"] = std::move(items);
  page["offset"] = more && !query->after ? end : 0;
  page["next_cursor"] = nullptr;
  if (more) page["next_cursor"] = EncodeCursor(*query, sorted[end - 1].sort_key);
  co_return http::Json(200, WriteJson(page));
}

}  // namespace viv::langsmith
