#include "schema/json_schema.h"

#include <re2/re2.h>

#include <cmath>

#include "base/text.h"

namespace viv::schema {
namespace {

constexpr std::size_t kShownBytesMax = 200;

// A value as Python would show it, cut to a readable length.
std::string Show(const json::value& value) {
  std::string shown;
  switch (value.kind()) {
    case json::kind::null:
      shown = "None";
      break;
    case json::kind::bool_:
      shown = value.get_bool() ? "True" : "False";
      break;
    case json::kind::string:
      shown = "'" + std::string(value.get_string()) + "'";
      break;
    case json::kind::array: {
      shown = "[";
      for (const json::value& item : value.get_array()) {
        if (shown.size() > kShownBytesMax) break;
        if (shown.size() > 1) shown += ", ";
        shown += Show(item);
      }
      shown += "]";
      break;
    }
    default:
      shown = WriteJson(value);
      break;
  }
  if (shown.size() > kShownBytesMax) {
    shown.resize(kShownBytesMax);
    while (!IsValidUtf8(shown)) shown.pop_back();
    shown += "…";
  }
  return shown;
}

constexpr double kWholeEnd = 9223372036854775808.0;  // 2^63

bool IsWhole(const json::value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::isfinite(value.get_double()) &&
          std::trunc(value.get_double()) == value.get_double());
}

// Apps keep integers in 64 bits.
bool Fits64Bits(const json::value& value) {
  if (value.is_double()) return value.get_double() >= -kWholeEnd && value.get_double() < kWholeEnd;
  return !value.is_uint64();  // Boost takes that only for what is larger
}

bool HasType(const json::value& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return IsWhole(value) && Fits64Bits(value);
  if (type == "boolean") return value.is_bool();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "null") return value.is_null();
  return true;
}

std::size_t CodePoints(std::string_view text) {
  std::size_t count = 0;
  for (char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

// Numbers compare by value, so that 1 and 1.0 are the same constant.
bool SameValue(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

class SchemaChecker {
 public:
  std::optional<std::string> Check(const json::value& schema_value, const json::value& value) {
    const json::object* schema = schema_value.if_object();
    if (schema == nullptr) {
      if (schema_value.is_bool() && !schema_value.get_bool())
        return Wrong("False schema does not allow " + Show(value));
      return std::nullopt;
    }
    for (auto check : {&SchemaChecker::Type, &SchemaChecker::Choice, &SchemaChecker::Combination,
                       &SchemaChecker::Text, &SchemaChecker::Number, &SchemaChecker::Array,
                       &SchemaChecker::Object}) {
      if (auto violation = (this->*check)(*schema, value)) return violation;
    }
    return std::nullopt;
  }

 private:
  using Violation = std::optional<std::string>;

  Violation Wrong(std::string message) const {
    if (!path_.empty()) message += " (at " + path_ + ")";
    return message;
  }

  Violation Type(const json::object& schema, const json::value& value) {
    const json::value* type = schema.if_contains("type");
    if (type == nullptr) return std::nullopt;
    if (type->is_string()) {
      if (HasType(value, View(type->get_string()))) return std::nullopt;
      if (View(type->get_string()) == "integer" && IsWhole(value))
        return Wrong(Show(value) + " does not fit into an integer of 64 bits");
      return Wrong(Show(value) + " is not of type " + Show(*type));
    }
    if (!type->is_array()) return std::nullopt;
    std::string names;
    for (const json::value& one : type->get_array()) {
      if (one.is_string() && HasType(value, View(one.get_string()))) return std::nullopt;
      names += (names.empty() ? "" : ", ") + Show(one);
    }
    return Wrong(Show(value) + " is not of type " + names);
  }

  Violation Choice(const json::object& schema, const json::value& value) {
    if (const json::value* expected = schema.if_contains("const");
        expected != nullptr && !SameValue(*expected, value)) {
      return Wrong(Show(*expected) + " was expected");
    }
    const json::value* choices = schema.if_contains("enum");
    if (choices == nullptr || !choices->is_array()) return std::nullopt;
    for (const json::value& choice : choices->get_array()) {
      if (SameValue(choice, value)) return std::nullopt;
    }
    return Wrong(Show(value) + " is not one of " + Show(*choices));
  }

  Violation Combination(const json::object& schema, const json::value& value) {
    if (const json::value* all = schema.if_contains("allOf"); all != nullptr && all->is_array()) {
      for (const json::value& one : all->get_array()) {
        if (auto violation = Check(one, value)) return violation;
      }
    }
    for (std::string_view keyword : {"anyOf", "oneOf"}) {
      const json::value* any = schema.if_contains(keyword);
      if (any == nullptr || !any->is_array()) continue;
      bool fits = false;
      for (const json::value& one : any->get_array()) fits = fits || !Check(one, value);
      if (!fits) return Wrong(Show(value) + " is not valid under any of the given schemas");
    }
    return std::nullopt;
  }

  Violation Text(const json::object& schema, const json::value& value) {
    if (!value.is_string()) return std::nullopt;
    std::string_view text = View(value.get_string());
    if (auto limit = Limit(schema, "minLength");
        limit && static_cast<double>(CodePoints(text)) < *limit) {
      return Wrong(Show(value) + " is too short");
    }
    if (auto limit = Limit(schema, "maxLength");
        limit && static_cast<double>(CodePoints(text)) > *limit) {
      return Wrong(Show(value) + " is too long");
    }
    if (const json::value* pattern = schema.if_contains("pattern");
        pattern != nullptr && pattern->is_string()) {
      RE2 regex(std::string(pattern->get_string()), RE2::Quiet);
      if (regex.ok() && !RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex)) {
        return Wrong(Show(value) + " does not match " + Show(*pattern));
      }
    }
    return std::nullopt;
  }

  Violation Number(const json::object& schema, const json::value& value) {
    if (!value.is_number()) return std::nullopt;
    auto number = value.to_number<double>();
    if (auto limit = Limit(schema, "minimum"); limit && number < *limit) {
      return Wrong(Show(value) + " is less than the minimum of " + Show(schema.at("minimum")));
    }
    if (auto limit = Limit(schema, "maximum"); limit && number > *limit) {
      return Wrong(Show(value) + " is greater than the maximum of " + Show(schema.at("maximum")));
    }
    if (auto limit = Limit(schema, "exclusiveMinimum"); limit && number <= *limit) {
      return Wrong(Show(value) + " is less than or equal to the minimum of " +
                   Show(schema.at("exclusiveMinimum")));
    }
    if (auto limit = Limit(schema, "exclusiveMaximum"); limit && number >= *limit) {
      return Wrong(Show(value) + " is greater than or equal to the maximum of " +
                   Show(schema.at("exclusiveMaximum")));
    }
    return std::nullopt;
  }

  Violation Array(const json::object& schema, const json::value& value) {
    const json::array* array = value.if_array();
    if (array == nullptr) return std::nullopt;
    if (auto limit = Limit(schema, "minItems");
        limit && static_cast<double>(array->size()) < *limit) {
      return Wrong(Show(value) + " is too short");
    }
    if (auto limit = Limit(schema, "maxItems");
        limit && static_cast<double>(array->size()) > *limit) {
      return Wrong(Show(value) + " is too long");
    }
    const json::value* items = schema.if_contains("items");
    if (items == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (auto violation = Within("[" + std::to_string(i) + "]", *items, (*array)[i]))
        return violation;
    }
    return std::nullopt;
  }

  Violation Object(const json::object& schema, const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return std::nullopt;
    if (const json::value* required = schema.if_contains("required");
        required != nullptr && required->is_array()) {
      for (const json::value& name : required->get_array()) {
        if (name.is_string() && !object->contains(name.get_string()))
          return Wrong(Show(name) + " is a required property");
      }
    }
    const json::value* properties = schema.if_contains("properties");
    const json::value* additional = schema.if_contains("additionalProperties");
    for (const auto& member : *object) {
      const json::value* property =
          properties == nullptr ? nullptr : Find(*properties, member.key());
      std::string name =
          path_.empty() ? std::string(member.key()) : "." + std::string(member.key());
      if (property == nullptr && additional != nullptr && additional->is_bool() &&
          !additional->get_bool()) {
        return Wrong("Additional properties are not allowed ('" + std::string(member.key()) +
                     "' was unexpected)");
      }
      if (property == nullptr) property = additional;
      if (property == nullptr) continue;
      if (auto violation = Within(name, *property, member.value())) return violation;
    }
    return std::nullopt;
  }

  Violation Within(const std::string& step, const json::value& schema, const json::value& value) {
    std::size_t length = path_.size();
    path_ += step;
    Violation violation = Check(schema, value);
    path_.resize(length);
    return violation;
  }

  static std::optional<double> Limit(const json::object& schema, std::string_view keyword) {
    const json::value* limit = schema.if_contains(keyword);
    if (limit == nullptr || !limit->is_number()) return std::nullopt;
    return limit->to_number<double>();
  }

  std::string path_;
};

}  // namespace

std::optional<std::string> FindSchemaViolation(const json::value& schema,
                                               const json::value& value) {
  return SchemaChecker().Check(schema, value);
}

json::object WithDefaults(const json::object& schema, json::object arguments) {
  const json::value* properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return arguments;
  for (const auto& property : properties->get_object()) {
    const json::value* value = Find(property.value(), "default");
    if (value != nullptr && !arguments.contains(property.key())) arguments[property.key()] = *value;
  }
  return arguments;
}

}  // namespace viv::schema
