#pragma once
// The query of a list of boxes: filter, sort order and position. It supports two ways of paging:
// limit and offset of older clients, page_size and cursor of newer ones.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "boxes/boxes.h"
#include "http/message.h"

namespace viv::langsmith {

inline constexpr std::size_t kPageSizeDefault = 50;
inline constexpr std::size_t kPageSizeMax = 500;

using BoxSort = boxes::BoxQuery::SortBy;
using boxes::BoxSortKey;
enum class SortOrder { kAscending, kDescending };

struct BoxFilter {
  std::string name_part;  // any case; empty: all
  std::string status;     // empty: any
  struct Label {
    std::string key;
    std::optional<std::string> value;
  };
  std::vector<Label> labels;               // all must be there
  std::vector<std::string> tag_value_ids;  // these, too

  bool Fits(const boxes::Box& box) const;
  bool FitsAll() const {
    return name_part.empty() && status.empty() && labels.empty() && tag_value_ids.empty();
  }
};

struct BoxListQuery {
  BoxFilter filter;
  BoxSort sort = BoxSort::kCreation;
  SortOrder order = SortOrder::kDescending;
  std::size_t limit = kPageSizeDefault;
  std::size_t offset = 0;
  std::optional<BoxSortKey> after;  // the last one of the page before
};

// kInvalidArgument names the invalid parameter. `account_id` is the caller.
Result<BoxListQuery> ReadBoxQuery(const http::Request& request, std::string_view account_id);

// Opaque to clients; it is valid only for the sort and order it was created with.
std::string EncodeCursor(const BoxListQuery& query, const BoxSortKey& last);
Result<BoxSortKey> DecodeCursor(const BoxListQuery& query, std::string_view cursor);

}  // namespace viv::langsmith
