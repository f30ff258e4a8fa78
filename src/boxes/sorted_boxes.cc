#include "boxes/sorted_boxes.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

namespace viv::boxes {
namespace {

// Views of a box that is kept beside it, or of a query's texts.
struct SortKeyView {
  std::int64_t number;
  std::string_view text;
  std::string_view id;

  bool operator<(const SortKeyView& other) const {
    return std::tie(number, text, id) < std::tie(other.number, other.text, other.id);
  }
};

// The order of the words that lists have for them.
std::int64_t NumberOfState(BoxState state) {
  switch (state) {
    case BoxState::kFailed:
      return 0;
    case BoxState::kStarting:
      return 1;
    case BoxState::kRunning:
      return 2;
    case BoxState::kPaused:
    case BoxState::kStopped:
      return 3;
  }
  return 3;
}

SortKeyView KeyOf(BoxQuery::SortBy by, const Box& box) {
  using SortBy = BoxQuery::SortBy;
  switch (by) {
    case SortBy::kStart:
      return {box.started_at_us, {}, box.id};
    case SortBy::kCreation:
      return {box.created_at_us, {}, box.id};
    case SortBy::kName:
      return {0, box.spec.name.empty() ? box.id : box.spec.name, box.id};
    case SortBy::kState:
      return {NumberOfState(box.state), {}, box.id};
    case SortBy::kStop:
      return {box.stopped_at_us, {}, box.id};
    case SortBy::kIdleTime:
      return {box.spec.idle_seconds, {}, box.id};
    case SortBy::kKeepStopped:
      return {box.spec.keep_stopped_seconds, {}, box.id};
  }
  return {0, {}, box.id};
}

using SortTree = __gnu_pbds::tree<SortKeyView,
                                  BoxPtr,
                                  std::less<SortKeyView>,
                                  __gnu_pbds::rb_tree_tag,
                                  __gnu_pbds::tree_order_statistics_node_update>;

}  // namespace

BoxSortKey SortKeyOf(BoxQuery::SortBy by, const Box& box) {
  const SortKeyView key = KeyOf(by, box);
  return {key.number, std::string(key.text), std::string(key.id)};
}

struct SortedBoxes::Index {
  SortTree boxes;
};

SortedBoxes::SortedBoxes(BoxQuery::SortBy by) : by_(by), index_(std::make_unique<Index>()) {}
SortedBoxes::~SortedBoxes() = default;

void SortedBoxes::Add(BoxPtr box) {
  const SortKeyView key = KeyOf(by_, *box);
  index_->boxes.insert({key, std::move(box)});
}

void SortedBoxes::Remove(const Box& box) {
  index_->boxes.erase(KeyOf(by_, box));
}

BoxPage SortedBoxes::List(const BoxQuery& query) const {
  const SortTree& boxes = index_->boxes;
  const bool rising = query.order == BoxQuery::Order::kOldestFirst;
  // How many come before the first one of the page, in the order of the query.
  std::size_t skipped = 0;
  if (query.after) {
    const SortKeyView after{query.after->number, query.after->text, query.after->id};
    const std::size_t smaller = boxes.order_of_key(after);
    const std::size_t itself = boxes.find(after) == boxes.end() ? 0 : 1;
    skipped = rising ? smaller + itself : boxes.size() - smaller;
  }
  std::size_t left_out = query.accept ? query.offset : 0;
  if (!query.accept) skipped += std::min(query.offset, boxes.size());
  BoxPage page;
  if (skipped >= boxes.size()) return page;
  auto it = boxes.find_by_order(rising ? skipped : boxes.size() - 1 - skipped);
  for (std::size_t i = skipped; i < boxes.size(); ++i) {
    const BoxPtr& box = it->second;
    if (!query.accept || query.accept(*box)) {
      if (left_out > 0) {
        --left_out;
      } else if (page.boxes.size() == query.limit) {
        page.has_more = true;
        break;
      } else {
        page.boxes.push_back(box);
      }
    }
    if (i + 1 == boxes.size()) break;
    rising ? ++it : --it;
  }
  return page;
}

}  // namespace viv::boxes
