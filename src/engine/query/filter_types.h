#pragma once
// What Notion's filters know: the types of properties, the conditions of each kind of type, and the
// stretches of time that have a name. Tables, so that a further type is a line.

#include <optional>
#include <string_view>

#include "engine/query/condition.h"
#include "engine/query/dates.h"

namespace viv::engine::query {

// Types with the same conditions are one kind: a status is filtered as a text is.
enum class PropertyKind { kText, kNumber, kDate, kBoolean, kList };

struct Comparison {
  std::string_view name;
  Operator op;
  bool negated;
};

// past_week reaches from the same day a week ago to the end of today; next_week likewise.
struct NamedPeriod {
  std::string_view name;
  Span from;
  Span to;
};

std::string_view KindName(PropertyKind kind);  // as in Target::properties
FieldType TypeOf(PropertyKind kind);
std::optional<PropertyKind> KindOf(std::string_view type);

// nullptr when there is none of that name.
const Comparison* FindComparison(PropertyKind kind, std::string_view name);
const NamedPeriod* FindNamedPeriod(std::string_view name);

}  // namespace viv::engine::query
