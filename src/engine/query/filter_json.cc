#include "engine/query/filter_json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "engine/query/filter_types.h"

namespace viv::engine::query {
namespace {

constexpr std::size_t kFilterDepthMax = 32;
constexpr std::size_t kShownMax = 80;

std::string ShownValue(const json::value& value) {
  if (value.is_structured()) return value.is_object() ? "an object" : "a list";
  std::string text = json::serialize(value);
  return text.size() > kShownMax ? "a long text" : "`" + text + "`";
}

tl::unexpected<Error> RefuseFilter(const std::string& path, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("body failed validation: body.{} {}.", path, what));
}

tl::unexpected<Error> RefuseValue(const std::string& path,
                                  std::string_view expected,
                                  const json::value& value) {
  return RefuseFilter(path,
                      fmt::format("should be {}, instead was {}", expected, ShownValue(value)));
}

Result<double> ReadJsonNumber(const json::value& value, const std::string& path) {
  if (!value.is_number()) return RefuseValue(path, "a number", value);
  double number = value.to_number<double>();
  if (!std::isfinite(number)) return RefuseValue(path, "a number", value);
  return number;
}

// The property or timestamp under test.
struct Subject {
  const Field* field = nullptr;
  std::string property;  // empty for a field of its own
  PropertyKind kind = PropertyKind::kText;
};

class FilterParser {
 public:
  FilterParser(const Target& target, const Calendar& calendar)
      : target_(target), calendar_(calendar) {}

  Result<Condition> Parse(const json::value& filter, const std::string& path, std::size_t depth) {
    if (depth > kFilterDepthMax) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the filter is nested more than {} levels deep", kFilterDepthMax));
    }
    if (!filter.is_object()) return RefuseValue(path, "an object", filter);
    for (std::string_view join : {"and", "or"}) {
      if (const json::value* parts = Find(filter, join)) {
        return ParseList(*parts, join, fmt::format("{}.{}", path, join), depth);
      }
    }
    return ParseSubject(filter, path);
  }

 private:
  Result<Condition> ParseList(const json::value& parts,
                              std::string_view join,
                              const std::string& path,
                              std::size_t depth) {
    if (!parts.is_array()) return RefuseValue(path, "an array", parts);
    std::vector<Condition> children;
    for (const json::value& part : parts.get_array()) {
      std::string place = fmt::format("{}[{}]", path, children.size());
      ASSIGN_OR_RETURN(Condition child, Parse(part, place, depth + 1));
      children.push_back(std::move(child));
      if (children.size() > kTermsMax) return RefuseFilter(path, "has too many entries");
    }
    // An empty list restricts nothing, whatever would have joined it.
    if (join == "and" || children.empty()) return Condition::All(std::move(children));
    return Condition::Any(std::move(children));
  }

  Result<Condition> ParseSubject(const json::value& filter, const std::string& path) {
    std::string_view property = FindString(filter, "property");
    std::string_view timestamp = FindString(filter, "timestamp");
    if (property.empty() == timestamp.empty()) {
      return RefuseFilter(path, "should have one of `and`, `or`, `property` and `timestamp`");
    }
    if (property.size() > kValueBytesMax) return RefuseFilter(path + ".property", "is too long");
    const json::value* conditions = nullptr;
    std::string_view type;
    for (const auto& member : filter.get_object()) {
      std::string_view name(member.key().data(), member.key().size());
      if (name == "property" || name == "timestamp" || name == "type") continue;
      if (conditions != nullptr) return RefuseFilter(path, "should test one type of property only");
      type = name;
      conditions = &member.value();
    }
    if (conditions == nullptr) return RefuseFilter(path, "should say what to test");
    std::string place = fmt::format("{}.{}", path, type);
    if (!conditions->is_object()) return RefuseValue(place, "an object", *conditions);
    if (type == "formula") return ParseFormula(std::string(property), *conditions, place);
    if (!timestamp.empty()) return ParseTimestamp(timestamp, *conditions, place);
    return ParseProperty(std::string(property), type, *conditions, place);
  }

  // A formula's result has a type of its own: {"formula": {"number": {"equals": 5}}}.
  Result<Condition> ParseFormula(const std::string& property,
                                 const json::value& conditions,
                                 const std::string& path) {
    const json::object& object = conditions.get_object();
    if (object.size() != 1)
      return RefuseFilter(path, "should have one of string, number, checkbox and date");
    const auto& member = *object.begin();
    std::string_view type(member.key().data(), member.key().size());
    std::string place = fmt::format("{}.{}", path, type);
    if (!member.value().is_object()) return RefuseValue(place, "an object", member.value());
    return ParseProperty(property, type, member.value(), place);
  }

  Result<Condition> ParseTimestamp(std::string_view name,
                                   const json::value& conditions,
                                   const std::string& path) {
    Subject subject;
    subject.field = FindField(target_, name);
    subject.kind = PropertyKind::kDate;
    if (subject.field == nullptr || subject.field->type != FieldType::kDate) {
      return RefuseFilter(path, "names no timestamp");
    }
    return ParseConditions(subject, conditions, path);
  }

  Result<Condition> ParseProperty(const std::string& name,
                                  std::string_view type,
                                  const json::value& conditions,
                                  const std::string& path) {
    auto kind = KindOf(type);
    if (!kind) return RefuseFilter(path, "is no type of property that can be filtered");
    Subject subject;
    subject.kind = *kind;
    subject.field = FindField(target_, name);
    if (subject.field == nullptr) {
      subject.property = name;
      subject.field = FindPropertyField(type, *kind);
    }
    if (subject.field == nullptr) {
      return Fail(ErrorCode::kInvalidArgument, "Could not find property with name or id: " + name);
    }
    if (subject.field->type != TypeOf(*kind)) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("The property '{}' does not match filter {}.", name, type));
    }
    return ParseConditions(subject, conditions, path);
  }

  const Field* FindPropertyField(std::string_view type, PropertyKind kind) const {
    for (std::string_view name : {type, KindName(kind)}) {
      auto found = target_.properties.find(std::string(name));
      if (found != target_.properties.end()) return &found->second;
    }
    return nullptr;
  }

  Result<Condition> ParseConditions(const Subject& subject,
                                    const json::value& conditions,
                                    const std::string& path) {
    std::vector<Condition> parts;
    for (const auto& member : conditions.get_object()) {
      RETURN_IF_ERROR(budget_.Take());
      std::string_view name(member.key().data(), member.key().size());
      std::string place = fmt::format("{}.{}", path, name);
      ASSIGN_OR_RETURN(Condition part, ParseCondition(subject, name, member.value(), place));
      parts.push_back(std::move(part));
    }
    if (parts.empty()) return RefuseFilter(path, "should have a condition");
    return Condition::All(std::move(parts));
  }

  Result<Condition> Test(const Subject& subject,
                         Operator op,
                         Value value,
                         const std::string& path) const {
    if (!Supports(*subject.field, op)) return RefuseFilter(path, "is not supported here");
    Condition test = Condition::Test(*subject.field, op, std::move(value));
    test.property = subject.property;
    return test;
  }

  Result<Condition> ParseCondition(const Subject& subject,
                                   std::string_view name,
                                   const json::value& value,
                                   const std::string& path) const {
    if (name == "is_empty" || name == "is_not_empty") {
      if (!value.is_bool() || !value.get_bool()) return RefuseValue(path, "`true`", value);
      ASSIGN_OR_RETURN(Condition empty, Test(subject, Operator::kEmpty, {}, path));
      return name == "is_empty" ? std::move(empty) : Condition::Not(std::move(empty));
    }
    if (subject.kind == PropertyKind::kDate) {
      if (auto period = FindPeriod(name)) return Within(subject, *period, path);
    }
    const Comparison* comparison = FindComparison(subject.kind, name);
    if (comparison == nullptr)
      return RefuseFilter(path, "is no condition of this type of property");
    ASSIGN_OR_RETURN(Condition test, Compare(subject, comparison->op, value, path));
    return comparison->negated ? Condition::Not(std::move(test)) : std::move(test);
  }

  Result<Condition> Compare(const Subject& subject,
                            Operator op,
                            const json::value& value,
                            const std::string& path) const {
    if (subject.kind == PropertyKind::kNumber) {
      ASSIGN_OR_RETURN(double number, ReadJsonNumber(value, path));
      return Test(subject, op, number, path);
    }
    if (subject.kind == PropertyKind::kBoolean) {
      if (!value.is_bool()) return RefuseValue(path, "a boolean", value);
      return Test(subject, op, value.get_bool(), path);
    }
    if (!value.is_string()) return RefuseValue(path, "a string", value);
    std::string_view text = View(value.get_string());
    if (text.size() > kValueBytesMax) return RefuseFilter(path, "is too long");
    if (subject.kind == PropertyKind::kDate) return CompareDate(subject, op, text, path);
    const std::string* named = op == Operator::kEquals ? FindNamed(*subject.field, text) : nullptr;
    if (named != nullptr) return Test(subject, op, Named{named}, path);
    return Test(subject, op, std::string(text), path);
  }

  Result<Condition> CompareDate(const Subject& subject,
                                Operator op,
                                std::string_view text,
                                const std::string& path) const {
    auto period = calendar_.ReadDate(text);
    if (!period) return RefuseValue(path, "a valid ISO 8601 date string", json::value(text));
    switch (op) {
      case Operator::kLess:
        return Test(subject, Operator::kLess, Instant{period->start_ms}, path);
      case Operator::kLessEqual:
        return Test(subject, Operator::kLess, Instant{period->end_ms}, path);
      case Operator::kGreater:
        return Test(subject, Operator::kGreaterEqual, Instant{period->end_ms}, path);
      case Operator::kGreaterEqual:
        return Test(subject, Operator::kGreaterEqual, Instant{period->start_ms}, path);
      default:
        return Within(subject, *period, path);
    }
  }

  std::optional<Period> FindPeriod(std::string_view name) const {
    if (name == "this_week") return calendar_.Around(Unit::kWeek, {});
    const NamedPeriod* named = FindNamedPeriod(name);
    if (named == nullptr) return std::nullopt;
    return Period{calendar_.Around(Unit::kDay, named->from).start_ms,
                  calendar_.Around(Unit::kDay, named->to).end_ms};
  }

  Result<Condition> Within(const Subject& subject, Period period, const std::string& path) const {
    ASSIGN_OR_RETURN(Condition from,
                     Test(subject, Operator::kGreaterEqual, Instant{period.start_ms}, path));
    ASSIGN_OR_RETURN(Condition to, Test(subject, Operator::kLess, Instant{period.end_ms}, path));
    return Condition::All({std::move(from), std::move(to)});
  }

  const Target& target_;
  const Calendar& calendar_;
  TermBudget budget_;
};

Result<Sort> ParseSort(const json::value& entry, const Target& target, const std::string& path) {
  std::string_view name;
  for (std::string_view key : {"property", "timestamp", "field"}) {
    if (name.empty()) name = FindString(entry, key);
  }
  if (name.empty()) return RefuseFilter(path, "should name a property or a timestamp");
  if (name.size() > kValueBytesMax) return RefuseFilter(path, "has too long a name");
  std::string_view direction = FindString(entry, "direction");
  Sort sort;
  sort.descending = direction == "descending" || direction == "desc";
  bool ascending = direction.empty() || direction == "ascending" || direction == "asc";
  if (!ascending && !sort.descending) {
    return RefuseFilter(path + ".direction", "should be `ascending` or `descending`");
  }
  sort.field = FindField(target, name);
  for (std::string_view type : {"sort", "text"}) {
    auto found = target.properties.find(std::string(type));
    if (sort.field != nullptr || found == target.properties.end()) continue;
    sort.field = &found->second;
    sort.property = name;
  }
  if (sort.field == nullptr || (sort.field->sql.empty() && sort.field->order.empty())) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("Could not find sort property with name or id: {}", name));
  }
  return sort;
}

}  // namespace

Result<Condition> ParseFilter(const json::value& filter,
                              const Target& target,
                              const Calendar& calendar) {
  bool everything = filter.is_null() || (filter.is_object() && filter.get_object().empty());
  if (everything) return Condition::All();
  return FilterParser(target, calendar).Parse(filter, "filter", 0);
}

Result<std::vector<Sort>> ParseSorts(const json::value& sorts, const Target& target) {
  std::vector<Sort> parsed;
  if (sorts.is_null()) return parsed;
  if (!sorts.is_array()) return RefuseValue("sorts", "an array", sorts);
  if (sorts.get_array().size() > 50) return RefuseFilter("sorts", "has more than 50 entries");
  for (const json::value& entry : sorts.get_array()) {
    ASSIGN_OR_RETURN(Sort sort, ParseSort(entry, target, fmt::format("sorts[{}]", parsed.size())));
    parsed.push_back(std::move(sort));
  }
  return parsed;
}

}  // namespace viv::engine::query
