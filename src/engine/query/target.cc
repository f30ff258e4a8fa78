// Reads an app's declaration of a target. An author's slip is answered with the place and what
// would have been right, since it is a person who reads it.

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <utility>

#include "base/text.h"
#include "engine/query/condition.h"

namespace viv::engine::query {
namespace {

template <typename T>
using Choices = std::vector<std::pair<std::string_view, T>>;
using Reader = std::function<Status(const json::value&)>;
using Readers = std::map<std::string_view, Reader>;

tl::unexpected<Error> RefuseTarget(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Reader ReadString(std::string& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_string()) return RefuseTarget("expected text");
    into = View(value.get_string());
    return {};
  };
}

Reader ReadBool(bool& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_bool()) return RefuseTarget("expected true or false");
    into = value.get_bool();
    return {};
  };
}

template <typename T>
Reader ReadChoice(T& into, Choices<T> choices) {
  return [&into, choices = std::move(choices)](const json::value& value) -> Status {
    std::vector<std::string> names;
    for (const auto& [name, choice] : choices) {
      names.emplace_back(name);
      if (!value.is_string() || View(value.get_string()) != name) continue;
      into = choice;
      return {};
    }
    return RefuseTarget("expected " + JoinWithOr(names));
  };
}

Reader ReadStrings(std::vector<std::string>& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_array()) return RefuseTarget("expected a list of texts");
    for (const json::value& entry : value.get_array()) {
      if (!entry.is_string()) return RefuseTarget("expected a list of texts");
      into.emplace_back(View(entry.get_string()));
    }
    return {};
  };
}

Reader ReadStringMap(std::map<std::string, std::string>& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_object()) return RefuseTarget("expected names with a condition each");
    for (const auto& member : value.get_object()) {
      if (!member.value().is_string()) return RefuseTarget("expected a condition for each name");
      into.emplace(std::string(member.key()), View(member.value().get_string()));
    }
    return {};
  };
}

// A condition with :value, or a list of expressions any of which may contain it.
Reader ReadTextCondition(std::string& into) {
  return [&into](const json::value& value) -> Status {
    if (value.is_string()) return ReadString(into)(value);
    std::vector<std::string> expressions;
    RETURN_IF_ERROR(ReadStrings(expressions)(value));
    for (const std::string& expression : expressions) {
      if (!into.empty()) into += " OR ";
      into += "(" + expression + ") LIKE :like ESCAPE '\\'";
    }
    return {};
  };
}

Status ReadObject(const json::value& value, const Readers& readers) {
  if (!value.is_object()) return RefuseTarget("expected names and values");
  for (const auto& member : value.get_object()) {
    std::string name(member.key());
    auto reader = readers.find(name);
    if (reader == readers.end()) {
      std::vector<std::string> names;
      for (const auto& entry : readers) names.emplace_back(entry.first);
      return RefuseTarget("unknown key '" + name + "'; known are " + JoinWithOr(names));
    }
    RETURN_IF_ERROR(reader->second(member.value()), name);
  }
  return {};
}

Choices<Compare> CompareChoices() {
  return {{"contains", Compare::kContains},
          {"range", Compare::kRange},
          {"after", Compare::kAfter},
          {"since", Compare::kSince},
          {"before", Compare::kBefore},
          {"until", Compare::kUntil},
          {"on", Compare::kOn},
          {"during", Compare::kOn},
          {"older_than", Compare::kOlderThan},
          {"newer_than", Compare::kNewerThan},
          {"larger", Compare::kLarger},
          {"smaller", Compare::kSmaller}};
}

Readers FieldReaders(Field& field) {
  return {
      {"sql", ReadString(field.sql)},
      {"match", ReadString(field.match)},
      {"contains", ReadTextCondition(field.contains)},
      {"empty", ReadString(field.empty)},
      {"order", ReadString(field.order)},
      {"known", ReadString(field.known)},
      {"type", ReadChoice<FieldType>(field.type, {{"text", FieldType::kText},
                                                  {"number", FieldType::kNumber},
                                                  {"date", FieldType::kDate},
                                                  {"boolean", FieldType::kBoolean}})},
      {"date_format",
       ReadChoice<DateFormat>(field.date_format, {{"epoch_ms", DateFormat::kEpochMs},
                                                  {"epoch_seconds", DateFormat::kEpochSeconds},
                                                  {"iso", DateFormat::kIso},
                                                  {"day", DateFormat::kDay}})},
      {"compare", ReadChoice<Compare>(field.compare, CompareChoices())},
      {"case_sensitive", ReadBool(field.case_sensitive)},
      {"repeat", ReadChoice<bool>(field.repeat_or, {{"and", false}, {"or", true}})},
      {"strip", ReadString(field.strip)},
      {"separator", ReadString(field.separator)},
      {"values", ReadStringMap(field.values)},
      {"aliases", ReadStrings(field.aliases)},
      {"operators", ReadStrings(field.operators)},
  };
}

// What `compare` needs of the field, so that a query never meets a field that cannot answer it.
Status CheckField(const Field& field) {
  if (field.sql.empty() && field.match.empty() && field.contains.empty() && field.values.empty()) {
    return RefuseTarget("needs one of contains, match, sql or values");
  }
  if (field.separator.size() > 1) return RefuseTarget("separator: expected one character");
  bool size = field.compare == Compare::kLarger || field.compare == Compare::kSmaller;
  if (size && field.type != FieldType::kNumber) {
    return RefuseTarget("larger and smaller need type: number");
  }
  bool moment = field.compare >= Compare::kAfter && field.compare <= Compare::kNewerThan;
  if (moment && field.type != FieldType::kDate)
    return RefuseTarget("this compare needs type: date");
  if ((moment || size || field.compare == Compare::kRange) && field.sql.empty()) {
    return RefuseTarget("this compare needs sql");
  }
  if (field.compare == Compare::kContains && !Supports(field, Operator::kContains)) {
    return RefuseTarget("compare: contains needs sql of type text, or contains");
  }
  return {};
}

Status ReadField(const json::value& value, Field& field) {
  if (value.is_string()) {
    field.sql = View(value.get_string());
  } else {
    RETURN_IF_ERROR(ReadObject(value, FieldReaders(field)));
  }
  return CheckField(field);
}

// Property types say what they are by their name.
void PresetProperty(std::string_view name, Field& field) {
  if (name == "number") field.type = FieldType::kNumber;
  if (name == "boolean" || name == "checkbox") field.type = FieldType::kBoolean;
  if (name == "date") {
    field.type = FieldType::kDate;
    field.date_format = DateFormat::kIso;
  }
}

Reader ReadProperties(std::map<std::string, Field>& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_object()) return RefuseTarget("expected property types with a field each");
    for (const auto& member : value.get_object()) {
      std::string name(member.key());
      PresetProperty(name, into[name]);
      RETURN_IF_ERROR(ReadField(member.value(), into[name]), name);
    }
    return {};
  };
}

Reader ReadFields(std::map<std::string, Field>& into) {
  return [&into](const json::value& value) -> Status {
    if (!value.is_object()) return RefuseTarget("expected names with a field each");
    for (const auto& member : value.get_object()) {
      std::string name(member.key());
      RETURN_IF_ERROR(ReadField(member.value(), into[name]), name);
    }
    return {};
  };
}

Readers TargetReaders(Target& target) {
  return {
      {"from", ReadString(target.from)},
      {"key", ReadString(target.key)},
      {"fields", ReadFields(target.fields)},
      {"properties", ReadProperties(target.properties)},
      {"text", ReadTextCondition(target.text)},
      {"where", ReadString(target.where)},
      {"order", ReadString(target.order)},
      {"strict", ReadBool(target.strict)},
      {"or_binds", ReadChoice<OrBinds>(target.or_binds,
                                       {{"tight", OrBinds::kTight}, {"loose", OrBinds::kLoose}})},
      {"week_start", ReadChoice<WeekStart>(target.week_start, {{"sunday", WeekStart::kSunday},
                                                               {"monday", WeekStart::kMonday}})},
  };
}

// Two fields that answer to one name would make the winner a matter of chance.
Status CheckNames(const Target& target) {
  std::map<std::string, std::string> owners;
  for (const auto& [name, field] : target.fields) {
    std::vector<std::string> names = field.aliases;
    names.push_back(name);
    for (const std::string& alias : names) {
      auto [owner, is_new] = owners.emplace(ToLower(alias), name);
      if (!is_new && owner->second != name) {
        return RefuseTarget(
            fmt::format("fields: '{}' names both {} and {}", alias, owner->second, name));
      }
    }
  }
  return {};
}

}  // namespace

Result<Target> ParseTarget(const json::value& declaration) {
  Target target;
  RETURN_IF_ERROR(ReadObject(declaration, TargetReaders(target)));
  if (target.from.empty()) return RefuseTarget("from: is missing");
  if (target.key.empty()) return RefuseTarget("key: is missing");
  RETURN_IF_ERROR(CheckNames(target));
  return target;
}

const Field* FindField(const Target& target, std::string_view name) {
  for (const auto& [candidate, field] : target.fields) {
    if (EqualsIgnoreCase(candidate, name)) return &field;
    for (const std::string& alias : field.aliases) {
      if (EqualsIgnoreCase(alias, name)) return &field;
    }
  }
  return nullptr;
}

}  // namespace viv::engine::query
