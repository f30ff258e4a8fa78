#include "engine/query/to_sql.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "engine/query/sql_template.h"

namespace viv::engine::query {
namespace {

constexpr std::size_t kGroupSize = 32;
constexpr std::string_view kEscape = " ESCAPE '\\'";

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

// Groups of groups instead of one chain, each part already in parentheses.
std::string JoinInGroups(std::vector<std::string> parts, std::string_view separator) {
  while (parts.size() > kGroupSize) {
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < parts.size(); i += kGroupSize) {
      auto begin = parts.begin() + static_cast<std::ptrdiff_t>(i);
      auto end =
          parts.begin() + static_cast<std::ptrdiff_t>(std::min(i + kGroupSize, parts.size()));
      groups.push_back("(" + Join({begin, end}, separator) + ")");
    }
    parts = std::move(groups);
  }
  return Join(parts, separator);
}

std::string_view Symbol(Operator op) {
  switch (op) {
    case Operator::kLess:
      return " < ";
    case Operator::kLessEqual:
      return " <= ";
    case Operator::kGreater:
      return " > ";
    case Operator::kGreaterEqual:
      return " >= ";
    default:
      return " = ";
  }
}

json::value AsJson(const Value& value) {
  if (auto* text = std::get_if<std::string>(&value)) return json::value(*text);
  if (auto* number = std::get_if<double>(&value)) {
    bool whole =
        *number ==
        static_cast<double>(static_cast<std::int64_t>(std::max(-9e15, std::min(9e15, *number))));
    return whole ? json::value(static_cast<std::int64_t>(*number)) : json::value(*number);
  }
  if (auto* flag = std::get_if<bool>(&value)) return json::value(*flag ? 1 : 0);
  if (auto* instant = std::get_if<Instant>(&value)) return json::value(instant->ms);
  return nullptr;
}

std::string AsText(const Value& value) {
  json::value plain = AsJson(value);
  return plain.is_string() ? std::string(View(plain.get_string())) : json::serialize(plain);
}

class Writer {
 public:
  Writer(const Target& target, const Context& context, const Calendar& calendar)
      : target_(target), context_(context), calendar_(calendar) {}

  Result<Compiled> Write(const Parsed& parsed) {
    std::vector<std::string> parts;
    if (!target_.where.empty()) parts.push_back("(" + Fill(target_.where, Condition{}) + ")");
    ASSIGN_OR_RETURN(std::string asked, WriteCondition(parsed.condition, 0));
    parts.push_back("(" + std::move(asked) + ")");
    compiled_.condition = Join(parts, " AND ");
    compiled_.order = WriteOrder(parsed.sorts);
    compiled_.sql = "SELECT " + target_.key + " FROM " + Fill(target_.from, Condition{}) +
                    " WHERE " + compiled_.condition + " ORDER BY " + compiled_.order;
    if (compiled_.sql.size() > kSqlBytesMax) {
      return Fail(ErrorCode::kInvalidArgument, "the query is too large");
    }
    return std::move(compiled_);
  }

 private:
  std::string Bind(json::value value) { return BindIn(compiled_.parameters, std::move(value)); }

  static std::string BindIn(Parameters& parameters, json::value value) {
    std::string name = ":q" + std::to_string(parameters.size());
    parameters.emplace_back(name, std::move(value));
    return name;
  }

  std::string Fill(std::string_view sql, const Condition& condition) {
    return FillInto(compiled_.parameters, sql, condition);
  }

  std::string FillInto(Parameters& parameters, std::string_view sql, const Condition& condition) {
    return FillTemplate(sql, [&](std::string_view name) -> std::optional<std::string> {
      if (name == "value") return BindIn(parameters, AsJson(condition.value));
      if (name == "like") {
        return BindIn(parameters, json::value("%" + EscapeLike(AsText(condition.value)) + "%"));
      }
      if (name == "phrase") {
        return BindIn(parameters, json::value(QuotePhrase(AsText(condition.value))));
      }
      if (name == "property") return BindIn(parameters, json::value(condition.property));
      if (name == "me") return BindIn(parameters, json::value(context_.me));
      if (name == "now") return BindIn(parameters, json::value(context_.now_ms));
      return std::nullopt;
    });
  }

  std::string Sql(const Condition& condition) {
    return Wrap(Fill(condition.field->sql, condition));
  }

  Result<std::string> WriteCondition(const Condition& condition, std::size_t nesting) {
    if (nesting > kSqlNestingMax) {
      return Fail(ErrorCode::kInvalidArgument, "the query mixes AND, OR and NOT more than " +
                                                   std::to_string(kSqlNestingMax) + " levels deep");
    }
    switch (condition.kind) {
      case Condition::Kind::kAll:
      case Condition::Kind::kAny:
        return WriteList(condition, nesting);
      case Condition::Kind::kNot: {
        // The opposite of a single test is no level of its own.
        bool leaf = condition.children[0].kind == Condition::Kind::kTest;
        ASSIGN_OR_RETURN(std::string inner,
                         WriteCondition(condition.children[0], nesting + (leaf ? 0 : 1)));
        return "(" + std::move(inner) + ") IS NOT TRUE";
      }
      case Condition::Kind::kTest:
        return WriteTest(condition);
      case Condition::Kind::kText:
        break;
    }
    return Fill(target_.text, condition);
  }

  Result<std::string> WriteList(const Condition& list, std::size_t nesting) {
    std::vector<const Condition*> children;
    Flatten(list, list.kind, children);
    bool all = list.kind == Condition::Kind::kAll;
    if (children.empty()) return std::string(all ? "1" : "0");
    if (children.size() == 1) return WriteCondition(*children[0], nesting);
    nesting += children.size() > kGroupSize ? 2 : 1;  // a group is a level too
    std::vector<std::string> parts;
    for (const Condition* child : children) {
      ASSIGN_OR_RETURN(std::string part, WriteCondition(*child, nesting));
      parts.push_back("(" + std::move(part) + ")");
    }
    return JoinInGroups(std::move(parts), all ? " AND " : " OR ");
  }

  // A list within a list of its own kind, or of one entry, is no level: (a AND (b AND c)) is a AND
  // b AND c.
  static void Flatten(const Condition& list,
                      Condition::Kind kind,
                      std::vector<const Condition*>& into) {
    for (const Condition& child : list.children) {
      bool is_list = child.kind == Condition::Kind::kAll || child.kind == Condition::Kind::kAny;
      if (is_list && (child.kind == kind || child.children.size() == 1)) {
        Flatten(child, kind, into);
      } else {
        into.push_back(&child);
      }
    }
  }

  Result<std::string> WriteTest(const Condition& test) {
    if (!Supports(*test.field, test.op)) {
      return Fail(ErrorCode::kInvalidArgument, "a field does not support what is asked of it");
    }
    AddCheck(test);
    switch (test.op) {
      case Operator::kEquals:
        return WriteEquals(test);
      case Operator::kContains:
        return WriteContains(test);
      case Operator::kStartsWith:
        return WriteLike(test, EscapeLike(AsText(test.value)) + "%");
      case Operator::kEndsWith:
        return WriteLike(test, "%" + EscapeLike(AsText(test.value)));
      case Operator::kEmpty:
        return WriteEmpty(test);
      default:
        return WriteComparison(test);
    }
  }

  std::string WriteEquals(const Condition& test) {
    if (auto* named = std::get_if<Named>(&test.value)) return Fill(*named->condition, test);
    if (!test.field->match.empty()) return Fill(test.field->match, test);
    if (test.field->sql.empty()) return "0";  // only named values, and this is none of them
    return WriteComparison(test);
  }

  std::string WriteComparison(const Condition& test) {
    if (std::holds_alternative<Instant>(test.value)) return WriteDate(test);
    std::string sql = Sql(test);
    if (std::holds_alternative<bool>(test.value)) sql = "IFNULL(" + sql + ", 0)";
    bool fold = std::holds_alternative<std::string>(test.value) && !test.field->case_sensitive;
    return sql + std::string(Symbol(test.op)) + Bind(AsJson(test.value)) +
           (fold ? " COLLATE NOCASE" : "");
  }

  std::string WriteDate(const Condition& test) {
    std::int64_t ms = std::get<Instant>(test.value).ms;
    std::string sql = Sql(test);
    switch (test.field->date_format) {
      case DateFormat::kDay:
        return WriteDay(test.op, sql, ms);
      case DateFormat::kEpochMs:
        break;
      case DateFormat::kEpochSeconds:
        sql = "CAST(CAST(" + sql + " AS REAL) * 1000 AS INTEGER)";
        break;
      case DateFormat::kIso:
        // SQLite keeps times as whole milliseconds; rounding undoes the detour over days.
        sql = "CAST(ROUND((julianday(" + sql + ") - 2440587.5) * 86400000.0) AS INTEGER)";
        break;
    }
    return sql + std::string(Symbol(test.op)) + Bind(json::value(ms));
  }

  // The field is the first moment of its day in the user's zone, so comparing days suffices once it
  // is known whether `ms` is the first moment of its own.
  std::string WriteDay(Operator op, const std::string& sql, std::int64_t ms) {
    if (!calendar_.IsMidnight(ms)) {
      if (op == Operator::kEquals) return "0";
      if (op == Operator::kLess) op = Operator::kLessEqual;
      if (op == Operator::kGreaterEqual) op = Operator::kGreater;
    }
    return "substr(" + sql + ", 1, 10)" + std::string(Symbol(op)) +
           Bind(json::value(calendar_.DayOf(ms)));
  }

  std::string WriteContains(const Condition& test) {
    if (!test.field->contains.empty()) return Fill(test.field->contains, test);
    return WriteLike(test, "%" + EscapeLike(AsText(test.value)) + "%");
  }

  std::string WriteLike(const Condition& test, const std::string& pattern) {
    return Sql(test) + " LIKE " + Bind(json::value(pattern)) + std::string(kEscape);
  }

  std::string WriteEmpty(const Condition& test) {
    if (!test.field->empty.empty()) return Fill(test.field->empty, test);
    std::string sql = Sql(test);
    if (test.field->type == FieldType::kText) return "IFNULL(" + sql + ", '') = ''";
    return sql + " IS NULL";
  }

  std::string WriteOrder(const std::vector<Sort>& sorts) {
    std::vector<std::string> parts;
    for (const Sort& sort : sorts) {
      const Field& field = *sort.field;
      Condition at;
      at.property = sort.property;
      std::string sql = Wrap(Fill(field.order.empty() ? field.sql : field.order, at));
      bool fold = field.order.empty() && field.type == FieldType::kText && !field.case_sensitive;
      parts.push_back(sql + (fold ? " COLLATE NOCASE" : "") + (sort.descending ? " DESC" : " ASC") +
                      " NULLS LAST");
    }
    if (!target_.order.empty()) parts.push_back(Fill(target_.order, Condition{}));
    parts.push_back(target_.key);  // so that the order is always the same
    return Join(parts, ", ");
  }

  void AddCheck(const Condition& test) {
    bool names_value = test.op == Operator::kEquals;
    bool is_text = std::holds_alternative<std::string>(test.value);
    bool is_property = !test.property.empty();
    if (test.field->known.empty() || (!is_property && !(names_value && is_text))) return;
    std::string name = is_property ? test.property : NameOf(*test.field);
    std::string message = is_property ? "Could not find property with name or id: " + name
                                      : "The value '" + AsText(test.value) +
                                            "' does not exist for the field '" + name + "'.";
    if (!checked_.insert(message).second) return;
    Check check;
    check.sql = FillInto(check.parameters, test.field->known, test);
    check.message = std::move(message);
    compiled_.checks.push_back(std::move(check));
  }

  std::string NameOf(const Field& field) const {
    for (const auto& [name, candidate] : target_.fields) {
      if (&candidate == &field) return name;
    }
    return {};
  }

  const Target& target_;
  const Context& context_;
  const Calendar& calendar_;
  Compiled compiled_;
  std::set<std::string> checked_;  // a value named often is looked up once
};

}  // namespace

bool Supports(const Field& field, Operator op) {
  switch (op) {
    case Operator::kEquals:
      return !field.sql.empty() || !field.match.empty() || !field.values.empty();
    case Operator::kContains:
      return !field.contains.empty() || (!field.sql.empty() && field.type == FieldType::kText);
    case Operator::kEmpty:
      return !field.empty.empty() || !field.sql.empty();
    case Operator::kStartsWith:
    case Operator::kEndsWith:
      return !field.sql.empty() && field.type == FieldType::kText;
    default:
      return !field.sql.empty() && field.type != FieldType::kBoolean;
  }
}

const std::string* FindNamed(const Field& field, std::string_view name) {
  for (const auto& [candidate, condition] : field.values) {
    if (EqualsIgnoreCase(candidate, name)) return &condition;
  }
  return nullptr;
}

Result<Compiled> ToSql(const Parsed& parsed,
                       const Target& target,
                       const Context& context,
                       const Calendar& calendar) {
  return Writer(target, context, calendar).Write(parsed);
}

}  // namespace viv::engine::query
