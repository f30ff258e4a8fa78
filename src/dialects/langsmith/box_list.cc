#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_query.h"
#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

// A box's rank without a copy of anything.
struct RankView {
  std::int64_t number = 0;
  std::string_view text;
  std::string_view id;

  RankView(const BoxRank& rank) : number(rank.number), text(rank.text), id(rank.id) {}
  RankView(BoxSort sort, const sandbox::Box& box) : id(box.id) {
    switch (sort) {
      case BoxSort::kName:
        text = NameOf(box);
        break;
      case BoxSort::kStatus:
        text = StatusOf(box.state);
        break;
      case BoxSort::kCreated:
        number = box.created_at_us;
        break;
      case BoxSort::kStopped:
        number = box.stopped_at_us;
        break;
      case BoxSort::kIdleTtl:
        number = box.spec.idle_seconds;
        break;
      case BoxSort::kDeleteAfterStop:
        number = box.spec.keep_stopped_seconds;
        break;
    }
  }

  auto Key() const { return std::tie(number, text, id); }
  BoxRank Copy() const { return {number, std::string(text), std::string(id)}; }
};

struct RankBefore {
  SortOrder order;

  bool operator()(const RankView& a, const RankView& b) const {
    return order == SortOrder::kAscending ? a.Key() < b.Key() : b.Key() < a.Key();
  }
};

// The first ones of all that are offered, in the query's order; no more than a page needs are kept,
// however many there are.
class FirstRanks {
 public:
  explicit FirstRanks(const BoxListQuery& query)
      : query_(query), before_{query.order}, size_max_(query.offset + query.limit + 1) {}

  void Offer(const sandbox::Box& box) {
    const RankView rank(query_.sort, box);
    if (query_.after && !before_(*query_.after, rank)) return;
    if (is_full() && !before_(rank, heap_.front())) return;
    heap_.push_back(rank.Copy());
    std::push_heap(heap_.begin(), heap_.end(), before_);
    if (heap_.size() <= size_max_) return;
    std::pop_heap(heap_.begin(), heap_.end(), before_);
    heap_.pop_back();
  }

  // The page itself, and whether there is more behind it.
  std::pair<std::vector<BoxRank>, bool> TakePage() {
    std::sort_heap(heap_.begin(), heap_.end(), before_);
    const bool more = is_full();
    if (more) heap_.pop_back();
    heap_.erase(heap_.begin(), heap_.begin() + std::min(query_.offset, heap_.size()));
    return {std::move(heap_), more};
  }

 private:
  bool is_full() const { return heap_.size() == size_max_; }

  const BoxListQuery& query_;
  const RankBefore before_;
  const std::size_t size_max_;
  std::vector<BoxRank> heap_;  // the last one in front
};

// By creation the domain has them in order: only the page itself is looked at.
sandbox::BoxPage PageByCreation(const Context& context,
                                const std::string& account_id,
                                const BoxListQuery& query) {
  using Query = sandbox::BoxQuery;
  std::size_t skipped = 0;
  Query boxes;
  boxes.account_id = account_id;
  boxes.by = Query::By::kCreation;
  boxes.order = query.order == SortOrder::kAscending ? Query::Order::kOldestFirst
                                                     : Query::Order::kNewestFirst;
  if (query.after) boxes.after = Query::Position{query.after->number, query.after->id};
  boxes.limit = query.limit;
  boxes.accept = [&](const sandbox::Box& box) {
    return query.filter.Fits(box) && skipped++ >= query.offset;
  };
  return context.boxes.List(boxes);
}

// Every other order is made here, out of all there are.
sandbox::BoxPage PageBySort(const Context& context,
                            const std::string& account_id,
                            const BoxListQuery& query) {
  FirstRanks first(query);
  sandbox::BoxQuery boxes;
  boxes.account_id = account_id;
  boxes.limit = 0;
  boxes.accept = [&](const sandbox::Box& box) {
    if (query.filter.Fits(box)) first.Offer(box);
    return false;
  };
  context.boxes.List(boxes);
  auto [ranks, more] = first.TakePage();
  sandbox::BoxPage page;
  page.more = more;
  for (const BoxRank& rank : ranks) {
    if (auto box = context.boxes.Get(account_id, rank.id)) page.boxes.push_back(*std::move(box));
  }
  return page;
}

std::string RenderPage(const std::string& origin, const std::vector<sandbox::BoxPtr>& boxes) {
  std::string list = "[";
  for (const sandbox::BoxPtr& box : boxes) {
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
  const sandbox::BoxPage page = query->sort == BoxSort::kCreated
                                    ? PageByCreation(context, account_id, *query)
                                    : PageBySort(context, account_id, *query);
  const std::string list = RenderPage(OriginOf(context, request), page.boxes);
  const bool go_on = page.more && !page.boxes.empty();
  const std::size_t next_offset = go_on && !query->after ? query->offset + query->limit : 0;
  std::string body = "{\"sandboxes\":" + list + ",\"items\":" + list;
  body += ",\"offset\":" + std::to_string(next_offset) + ",\"next_cursor\":";
  body += go_on ? '"' + EncodeCursor(*query, RankView(query->sort, *page.boxes.back()).Copy()) + '"'
                : "null";
  co_return http::Json(200, body + '}');
}

}  // namespace viv::langsmith
