#include "tools/kit/zod_check.h"

#include <cmath>

namespace viv::tools {
namespace {

constexpr std::size_t kZodIssuesMax = 100;

std::string ZodType(const json::value* value) {
  if (value == nullptr) return "undefined";
  switch (value->kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
    default:
      return "number";
  }
}

bool HasZodType(const json::value& value, std::string_view type) {
  if (type == "integer")
    return value.is_int64() || value.is_uint64() ||
           (value.is_double() && std::trunc(value.get_double()) == value.get_double());
  return ZodType(&value) == type;
}

class ZodChecker {
 public:
  explicit ZodChecker(std::vector<ZodIssue>& issues) : issues_(issues) {}

  void Check(const json::value& schema, const json::value* value) {
    if (issues_.size() >= kZodIssuesMax) return;
    if (const json::value* choices = Find(schema, "enum"); choices && choices->is_array())
      return CheckChoice(choices->get_array(), value);
    const std::string_view type = FindString(schema, "type");
    if (type.empty()) return;  // anything goes, even nothing
    if (value == nullptr || !HasZodType(*value, type)) {
      ZodIssue& issue = Add(ZodIssue::Kind::kType, value);
      issue.expected = type == "integer" ? "int" : std::string(type);
      return;
    }
    if (value->is_array()) CheckItems(schema, value->get_array());
    if (value->is_object()) CheckMembers(schema, value->get_object());
    if (value->is_number())
      CheckLimits(schema, "minimum", "maximum", "number", value->to_number<double>(), *value);
    if (value->is_string())
      CheckLimits(schema, "minLength", "maxLength", "string",
                  static_cast<double>(value->get_string().size()), *value);
  }

 private:
  ZodIssue& Add(ZodIssue::Kind kind, const json::value* value) {
    ZodIssue& issue = issues_.emplace_back();
    issue.kind = kind;
    issue.path = path_;
    issue.received = ZodType(value);
    if (value != nullptr && !value->is_structured()) issue.value = *value;
    return issue;
  }

  void CheckChoice(const json::array& choices, const json::value* value) {
    if (value != nullptr)
      for (const json::value& choice : choices)
        if (choice == *value) return;
    Add(ZodIssue::Kind::kChoice, value).choices = choices;
  }

  void CheckLimits(const json::value& schema,
                   std::string_view least,
                   std::string_view most,
                   std::string_view what,
                   double size,
                   const json::value& value) {
    const json::value* lower = Find(schema, least);
    const json::value* upper = Find(schema, most);
    if (lower != nullptr && lower->is_number() && size < lower->to_number<double>()) {
      ZodIssue& issue = Add(ZodIssue::Kind::kTooSmall, &value);
      issue.expected = what;
      issue.limit = lower->to_number<double>();
    } else if (upper != nullptr && upper->is_number() && size > upper->to_number<double>()) {
      ZodIssue& issue = Add(ZodIssue::Kind::kTooBig, &value);
      issue.expected = what;
      issue.limit = upper->to_number<double>();
    }
  }

  void CheckItems(const json::value& schema, const json::array& items) {
    CheckLimits(schema, "minItems", "maxItems", "array", static_cast<double>(items.size()),
                json::value(nullptr));
    const json::value* item_schema = Find(schema, "items");
    if (item_schema == nullptr) return;
    for (std::size_t i = 0; i < items.size() && issues_.size() < kZodIssuesMax; ++i) {
      path_.emplace_back(i);
      Check(*item_schema, &items[i]);
      path_.pop_back();
    }
  }

  void CheckMembers(const json::value& schema, const json::object& members) {
    const json::value* properties = Find(schema, "properties");
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& property : properties->get_object()) {
      const json::value* value = members.if_contains(property.key());
      if (value == nullptr && !IsRequired(schema, property.key())) continue;
      path_.emplace_back(property.key());
      Check(property.value(), value);
      path_.pop_back();
    }
  }

  static bool IsRequired(const json::value& schema, std::string_view name) {
    const json::value* required = Find(schema, "required");
    if (required == nullptr || !required->is_array()) return false;
    for (const json::value& one : required->get_array())
      if (one.is_string() && View(one.get_string()) == name) return true;
    return false;
  }

  std::vector<ZodIssue>& issues_;
  json::array path_;
};

std::string ZodPath(const json::array& path) {
  std::string out;
  for (const json::value& step : path) {
    if (step.is_string()) {
      if (!out.empty()) out += '.';
      out += View(step.get_string());
    } else {
      out += '[' + WriteJson(step) + ']';
    }
  }
  return out;
}

std::string ZodLimit(const ZodIssue& issue, std::string_view sign) {
  std::string out = "expected " + issue.expected;
  out += issue.expected == "number" ? " to be " : " to have ";
  out += std::string(sign) + WriteJson(json::value(static_cast<std::int64_t>(issue.limit)));
  if (issue.expected == "array") out += " items";
  if (issue.expected == "string") out += " characters";
  return out;
}

std::string ZodChoices(const json::array& choices) {
  std::string out;
  for (const json::value& choice : choices) {
    if (!out.empty()) out += '|';
    out += WriteJson(choice);
  }
  return out;
}

std::string ZodMessage(const ZodIssue& issue) {
  switch (issue.kind) {
    case ZodIssue::Kind::kType:
      return "Invalid input: expected " + issue.expected + ", received " + issue.received;
    case ZodIssue::Kind::kChoice:
      return issue.choices.size() == 1
                 ? "Invalid input: expected " + ZodChoices(issue.choices)
                 : "Invalid option: expected one of " + ZodChoices(issue.choices);
    case ZodIssue::Kind::kTooSmall:
      return "Too small: " + ZodLimit(issue, ">=");
    case ZodIssue::Kind::kTooBig:
      return "Too big: " + ZodLimit(issue, "<=");
  }
  return "Invalid input";
}

// Of zod 3, whose enumerations read 'a' | 'b'.
std::string QuotedChoices(const json::array& choices) {
  std::string out;
  for (const json::value& choice : choices) {
    if (!out.empty()) out += " | ";
    out += choice.is_string() ? "'" + std::string(choice.get_string()) + "'" : WriteJson(choice);
  }
  return out;
}

json::object Zod3Issue(const ZodIssue& issue) {
  if (issue.kind == ZodIssue::Kind::kType) {
    const std::string message = issue.received == "undefined"
                                    ? "Required"
                                    : "Expected " + issue.expected + ", received " + issue.received;
    return {{"code", "invalid_type"},
            {"expected", issue.expected},
            {"received", issue.received},
            {"path", issue.path},
            {"message", message}};
  }
  if (issue.kind == ZodIssue::Kind::kChoice) {
    const std::string choices = QuotedChoices(issue.choices);
    if (issue.received == "string")
      return {{"received", issue.value},
              {"code", "invalid_enum_value"},
              {"options", issue.choices},
              {"path", issue.path},
              {"message", "Invalid enum value. Expected " + choices + ", received '" +
                              std::string(issue.value.get_string()) + "'"}};
    const std::string message = issue.received == "undefined"
                                    ? "Required"
                                    : "Expected " + choices + ", received " + issue.received;
    return {{"expected", choices},
            {"received", issue.received},
            {"code", "invalid_type"},
            {"path", issue.path},
            {"message", message}};
  }
  const bool small = issue.kind == ZodIssue::Kind::kTooSmall;
  return {{"code", small ? "too_small" : "too_big"},
          {small ? "minimum" : "maximum", static_cast<std::int64_t>(issue.limit)},
          {"type", issue.expected},
          {"inclusive", true},
          {"path", issue.path},
          {"message", ZodMessage(issue)}};
}

}  // namespace

std::vector<ZodIssue> FindZodIssues(const json::object& schema, const json::object& arguments) {
  std::vector<ZodIssue> issues;
  const json::value given(arguments);
  ZodChecker(issues).Check(json::value(schema), &given);
  return issues;
}

std::string RenderZodLines(const std::vector<ZodIssue>& issues) {
  std::string out;
  for (const ZodIssue& issue : issues) {
    if (!out.empty()) out += '\n';
    out += ZodMessage(issue);
    if (!issue.path.empty()) out += " at " + ZodPath(issue.path);
  }
  return out;
}

std::string RenderZodJson(const std::vector<ZodIssue>& issues) {
  json::array all;
  for (const ZodIssue& issue : issues) all.push_back(Zod3Issue(issue));
  return PrettyJson(all);
}

}  // namespace viv::tools
