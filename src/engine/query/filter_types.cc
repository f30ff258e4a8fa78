#include "engine/query/filter_types.h"

#include <array>

namespace viv::engine::query {
namespace {

struct PropertyType {
  std::string_view name;
  PropertyKind kind;
};

constexpr std::array<PropertyType, 21> kTypes = {{
    {"title", PropertyKind::kText},
    {"rich_text", PropertyKind::kText},
    {"text", PropertyKind::kText},
    {"string", PropertyKind::kText},
    {"url", PropertyKind::kText},
    {"email", PropertyKind::kText},
    {"phone_number", PropertyKind::kText},
    {"select", PropertyKind::kText},
    {"status", PropertyKind::kText},
    {"number", PropertyKind::kNumber},
    {"unique_id", PropertyKind::kNumber},
    {"checkbox", PropertyKind::kBoolean},
    {"date", PropertyKind::kDate},
    {"created_time", PropertyKind::kDate},
    {"last_edited_time", PropertyKind::kDate},
    {"multi_select", PropertyKind::kList},
    {"people", PropertyKind::kList},
    {"created_by", PropertyKind::kList},
    {"last_edited_by", PropertyKind::kList},
    {"relation", PropertyKind::kList},
    {"files", PropertyKind::kList},
}};

constexpr std::array<Comparison, 6> kTextComparisons = {{
    {"equals", Operator::kEquals, false},
    {"does_not_equal", Operator::kEquals, true},
    {"contains", Operator::kContains, false},
    {"does_not_contain", Operator::kContains, true},
    {"starts_with", Operator::kStartsWith, false},
    {"ends_with", Operator::kEndsWith, false},
}};

constexpr std::array<Comparison, 6> kNumberComparisons = {{
    {"equals", Operator::kEquals, false},
    {"does_not_equal", Operator::kEquals, true},
    {"greater_than", Operator::kGreater, false},
    {"less_than", Operator::kLess, false},
    {"greater_than_or_equal_to", Operator::kGreaterEqual, false},
    {"less_than_or_equal_to", Operator::kLessEqual, false},
}};

constexpr std::array<Comparison, 2> kBooleanComparisons = {{
    {"equals", Operator::kEquals, false},
    {"does_not_equal", Operator::kEquals, true},
}};

constexpr std::array<Comparison, 2> kListComparisons = {{
    {"contains", Operator::kEquals, false},
    {"does_not_contain", Operator::kEquals, true},
}};

constexpr std::array<Comparison, 6> kDateComparisons = {{
    {"equals", Operator::kEquals, false},
    {"does_not_equal", Operator::kEquals, true},
    {"before", Operator::kLess, false},
    {"after", Operator::kGreater, false},
    {"on_or_before", Operator::kLessEqual, false},
    {"on_or_after", Operator::kGreaterEqual, false},
}};

constexpr std::array<NamedPeriod, 6> kNamedPeriods = {{
    {"past_week", {-1, Unit::kWeek}, {}},
    {"past_month", {-1, Unit::kMonth}, {}},
    {"past_year", {-1, Unit::kYear}, {}},
    {"next_week", {}, {1, Unit::kWeek}},
    {"next_month", {}, {1, Unit::kMonth}},
    {"next_year", {}, {1, Unit::kYear}},
}};

template <typename Comparisons>
const Comparison* FindIn(const Comparisons& comparisons, std::string_view name) {
  for (const Comparison& entry : comparisons) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string_view KindName(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kText:
      return "text";
    case PropertyKind::kNumber:
      return "number";
    case PropertyKind::kDate:
      return "date";
    case PropertyKind::kBoolean:
      return "boolean";
    case PropertyKind::kList:
      break;
  }
  return "list";
}

FieldType TypeOf(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::kNumber:
      return FieldType::kNumber;
    case PropertyKind::kDate:
      return FieldType::kDate;
    case PropertyKind::kBoolean:
      return FieldType::kBoolean;
    default:
      return FieldType::kText;
  }
}

std::optional<PropertyKind> KindOf(std::string_view type) {
  for (const PropertyType& entry : kTypes) {
    if (entry.name == type) return entry.kind;
  }
  return std::nullopt;
}

const Comparison* FindComparison(PropertyKind kind, std::string_view name) {
  switch (kind) {
    case PropertyKind::kText:
      return FindIn(kTextComparisons, name);
    case PropertyKind::kNumber:
      return FindIn(kNumberComparisons, name);
    case PropertyKind::kDate:
      return FindIn(kDateComparisons, name);
    case PropertyKind::kBoolean:
      return FindIn(kBooleanComparisons, name);
    case PropertyKind::kList:
      break;
  }
  return FindIn(kListComparisons, name);
}

const NamedPeriod* FindNamedPeriod(std::string_view name) {
  for (const NamedPeriod& entry : kNamedPeriods) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace viv::engine::query
