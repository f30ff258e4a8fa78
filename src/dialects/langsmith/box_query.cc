#include "dialects/langsmith/box_query.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_shape.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kCursorBytesMax = 1024;
constexpr std::size_t kLabelFiltersMax = 32;
constexpr std::size_t kTagFiltersMax = 32;
constexpr std::size_t kOffsetMax = 100'000'000;

struct SortName {
  std::string_view name;
  BoxSort sort;
};
constexpr SortName kSortNames[] = {
    {"name", BoxSort::kName},
    {"status", BoxSort::kState},
    {"created_at", BoxSort::kCreation},
    {"stopped_at", BoxSort::kStop},
    {"idle_ttl_seconds", BoxSort::kIdleTime},
    {"delete_after_stop_seconds", BoxSort::kKeepStopped},
};

std::string_view NameOfSort(BoxSort sort) {
  for (const SortName& one : kSortNames) {
    if (one.sort == sort) return one.name;
  }
  return {};
}

std::string_view NameOfOrder(SortOrder order) {
  return order == SortOrder::kAscending ? "asc" : "desc";
}

tl::unexpected<Error> WrongParameter(std::string_view name, std::string_view wanted) {
  return Fail(ErrorCode::kInvalidArgument,
              std::string(name) + ": " + std::string(wanted) + " is expected");
}

// All values of a parameter that may be repeated; http::Request::Query returns only the first.
Result<std::vector<std::string>> AllValues(const http::Request& request, std::string_view name) {
  std::vector<std::string> values;
  for (std::string_view pair : Split(request.query, '&')) {
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string raw(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    std::replace(raw.begin(), raw.end(), '+', ' ');
    std::optional<std::string> value = PercentDecode(raw);
    if (!value || !IsValidUtf8(*value)) return WrongParameter(name, "properly encoded text");
    values.push_back(*std::move(value));
  }
  return values;
}

Result<std::optional<std::string>> OneValue(const http::Request& request, std::string_view name) {
  ASSIGN_OR_RETURN(std::vector<std::string> values, AllValues(request, name));
  if (values.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(values.front()));
}

Result<std::size_t> CountValue(const http::Request& request,
                               std::string_view name,
                               std::size_t fallback,
                               std::size_t least,
                               std::size_t most) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, OneValue(request, name));
  if (!text) return fallback;
  std::size_t count = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, count);
  if (!text->empty() && read.ec == std::errc() && read.ptr == end && count >= least &&
      count <= most) {
    return count;
  }
  return WrongParameter(
      name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

Status ReadFilter(const http::Request& request, std::string_view account_id, BoxFilter& filter) {
  ASSIGN_OR_RETURN(std::optional<std::string> part, OneValue(request, "name_contains"));
  filter.name_part = ToLower(part.value_or(""));
  ASSIGN_OR_RETURN(std::optional<std::string> status, OneValue(request, "status"));
  if (status) {
    if (std::find(std::begin(kBoxStatuses), std::end(kBoxStatuses), *status) ==
        std::end(kBoxStatuses))
      return WrongParameter("status", "provisioning, ready, failed, stopped or deleting");
    filter.status = *std::move(status);
  }
  // An account sees only its own, so that "me" is no restriction.
  ASSIGN_OR_RETURN(std::optional<std::string> creator, OneValue(request, "created_by"));
  if (creator && *creator != "me" && *creator != account_id)
    return WrongParameter("created_by", "me");
  return Status();
}

Status ReadLabelFilters(const http::Request& request, BoxFilter& filter) {
  ASSIGN_OR_RETURN(std::vector<std::string> labels, AllValues(request, "label"));
  if (labels.size() > kLabelFiltersMax) return WrongParameter("label", "at most 32 of them");
  for (const std::string& label : labels) {
    const std::size_t equals = label.find('=');
    BoxFilter::Label wanted{label.substr(0, equals), std::nullopt};
    if (wanted.key.empty()) return WrongParameter("label", "a key or key=value");
    if (equals != std::string::npos) wanted.value = label.substr(equals + 1);
    filter.labels.push_back(std::move(wanted));
  }
  return Status();
}

Status ReadTagFilters(const http::Request& request, BoxFilter& filter) {
  ASSIGN_OR_RETURN(filter.tag_value_ids, AllValues(request, "tag_value_id"));
  if (filter.tag_value_ids.size() > kTagFiltersMax)
    return WrongParameter("tag_value_id", "at most 32 of them");
  for (const std::string& id : filter.tag_value_ids)
    if (id.empty()) return WrongParameter("tag_value_id", "the id of a tag's value");
  return Status();
}

Status ReadSort(const http::Request& request, BoxListQuery& query) {
  ASSIGN_OR_RETURN(std::optional<std::string> by, OneValue(request, "sort_by"));
  if (by) {
    const auto* found = std::find_if(std::begin(kSortNames), std::end(kSortNames),
                                     [&](const SortName& one) { return one.name == *by; });
    if (found == std::end(kSortNames)) {
      return WrongParameter("sort_by",
                            "name, status, created_at, stopped_at, idle_ttl_seconds or "
                            "delete_after_stop_seconds");
    }
    query.sort = found->sort;
  }
  // The later spelling wins.
  for (const char* name : {"sort_direction", "sort_order"}) {
    ASSIGN_OR_RETURN(std::optional<std::string> order, OneValue(request, name));
    if (!order) continue;
    if (*order != "asc" && *order != "desc") return WrongParameter(name, "asc or desc");
    query.order = *order == "asc" ? SortOrder::kAscending : SortOrder::kDescending;
  }
  return Status();
}

Status ReadPage(const http::Request& request, BoxListQuery& query) {
  ASSIGN_OR_RETURN(query.limit, CountValue(request, "limit", kPageSizeDefault, 1, kPageSizeMax));
  ASSIGN_OR_RETURN(query.limit, CountValue(request, "page_size", query.limit, 1, kPageSizeMax));
  ASSIGN_OR_RETURN(query.offset, CountValue(request, "offset", 0, 0, kOffsetMax));
  ASSIGN_OR_RETURN(std::optional<std::string> cursor, OneValue(request, "cursor"));
  if (!cursor || cursor->empty()) return Status();
  if (query.offset != 0)
    return Fail(ErrorCode::kInvalidArgument, "cursor: it cannot be combined with an offset");
  ASSIGN_OR_RETURN(query.after, DecodeCursor(query, *cursor));
  return Status();
}

bool HasTagValues(const boxes::Box& box, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return true;
  const std::vector<std::string> ids = AnnotationOf(box).tag_value_ids;
  return std::all_of(wanted.begin(), wanted.end(), [&ids](const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  });
}

// `part` is in lower case.
bool ContainsIgnoringCase(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool BoxFilter::Fits(const boxes::Box& box) const {
  if (!status.empty() && StatusOf(box.state) != status) return false;
  if (!name_part.empty() && !ContainsIgnoringCase(NameOf(box), name_part)) return false;
  if (!HasTagValues(box, tag_value_ids)) return false;
  return std::all_of(labels.begin(), labels.end(), [&box](const Label& wanted) {
    auto found = box.spec.metadata.find(wanted.key);
    return found != box.spec.metadata.end() && (!wanted.value || found->second == *wanted.value);
  });
}

Result<BoxListQuery> ReadBoxQuery(const http::Request& request, std::string_view account_id) {
  BoxListQuery query;
  RETURN_IF_ERROR(ReadFilter(request, account_id, query.filter));
  RETURN_IF_ERROR(ReadLabelFilters(request, query.filter));
  RETURN_IF_ERROR(ReadTagFilters(request, query.filter));
  RETURN_IF_ERROR(ReadSort(request, query));
  RETURN_IF_ERROR(ReadPage(request, query));
  return query;
}

std::string EncodeCursor(const BoxListQuery& query, const BoxSortKey& last) {
  json::array parts{json::string(NameOfSort(query.sort)), json::string(NameOfOrder(query.order)),
                    last.number, last.text, last.id};
  return EncodeBase64Url(WriteJson(parts));
}

Result<BoxSortKey> DecodeCursor(const BoxListQuery& query, std::string_view cursor) {
  auto wrong = [] {
    return Fail(ErrorCode::kInvalidArgument, "cursor: it is not one that a list gave");
  };
  if (cursor.size() > kCursorBytesMax) return wrong();
  std::optional<std::string> plain = DecodeBase64(cursor);
  if (!plain) return wrong();
  auto parts = ParseJson(*plain, 2);
  if (!parts || !parts->is_array() || parts->get_array().size() != 5) return wrong();
  const json::array& list = parts->get_array();
  if (!list[0].is_string() || !list[1].is_string() || !list[2].is_int64() || !list[3].is_string() ||
      !list[4].is_string())
    return wrong();
  if (View(list[0].get_string()) != NameOfSort(query.sort) ||
      View(list[1].get_string()) != NameOfOrder(query.order))
    return Fail(ErrorCode::kInvalidArgument, "cursor: it belongs to a list in another order");
  return BoxSortKey{list[2].get_int64(), std::string(View(list[3].get_string())),
                    std::string(View(list[4].get_string()))};
}

}  // namespace viv::langsmith
