#include <utility>
#include <vector>

#include "dialects/langsmith/box_query.h"
#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

boxes::BoxPage PageOf(const Context& context,
                      const std::string& account_id,
                      const BoxListQuery& query) {
  using Query = boxes::BoxQuery;
  Query boxes;
  boxes.account_id = account_id;
  boxes.sort_by = query.sort;
  boxes.order = query.order == SortOrder::kAscending ? Query::Order::kOldestFirst
                                                     : Query::Order::kNewestFirst;
  boxes.after = query.after;
  boxes.offset = query.offset;
  boxes.limit = query.limit;
  if (!query.filter.FitsAll())
    boxes.accept = [&](const boxes::Box& box) { return query.filter.Fits(box); };
  return context.boxes.List(boxes);
}

std::string RenderPage(const std::string& origin, const std::vector<boxes::BoxPtr>& boxes) {
  std::string list = "[";
  for (const boxes::BoxPtr& box : boxes) {
    if (list.size() > 1) list += ',';
    list += WriteJson(ShowBox(origin, *box));
  }
  return list + ']';
}

}  // namespace

// Older clients read `sandboxes` and `offset` (of the next page, 0 at the end), newer ones `items`
// and `next_cursor`.
Task<http::Response> ListBoxes(Context& context, http::Request& request) {
  const std::string& account_id = request.identity.account_id;
  auto query = ReadBoxQuery(request, account_id);
  if (!query) co_return Failure(400, "InvalidRequest", query.error().message);
  const boxes::BoxPage page = PageOf(context, account_id, *query);
  const std::string list = RenderPage(OriginOf(context, request), page.boxes);
  const bool go_on = page.has_more && !page.boxes.empty();
  const std::size_t next_offset = go_on && !query->after ? query->offset + query->limit : 0;
  std::string body = "{\"sandboxes\":" + list + ",\"items\":" + list;
  body += ",\"offset\":" + std::to_string(next_offset) + ",\"next_cursor\":";
  body += go_on
              ? '"' + EncodeCursor(*query, boxes::SortKeyOf(query->sort, *page.boxes.back())) + '"'
              : "null";
  co_return http::Json(200, body + '}');
}

}  // namespace viv::langsmith
