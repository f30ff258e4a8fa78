#include "tools/kit/pydantic_check.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tools/kit/python_repr.h"

namespace viv::tools {
namespace {

constexpr std::size_t kPydanticErrorsMax = 100;
constexpr std::size_t kShownBytesMax = 50;
constexpr std::string_view kPydanticVersion = "2.11";

struct PydanticError {
  std::string place;
  std::string_view type;
  std::string message;
  std::string value, value_type;
};

// Long values show their first 25 and last 24 bytes, or as much of them as whole characters have.
std::string Shortened(const std::string& shown) {
  if (shown.size() <= kShownBytesMax) return shown;
  const auto within = [&](std::size_t at) {
    return (static_cast<unsigned char>(shown[at]) & 0xc0) == 0x80;
  };
  std::size_t head = 25, tail = shown.size() - 24;
  while (within(head)) --head;
  while (within(tail)) ++tail;
  return shown.substr(0, head) + "..." + shown.substr(tail);
}

// Python's digits: underscores may stand between them. Nothing when the text has no such form.
std::optional<std::string> PlainNumber(std::string_view text) {
  text = Trim(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '9';
    };
    if (text[i] != '_') {
      if (i > 0 || text[i] != '+') out += text[i];
    } else if (i == 0 || !digit(i - 1) || !digit(i + 1)) {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<double> ParseDouble(std::string_view text) {
  const auto plain = PlainNumber(text);
  if (!plain || plain->empty() || plain->find_first_not_of("0123456789.eE+-") != plain->npos)
    return std::nullopt;
  double number = 0;
  const char* end = plain->data() + plain->size();
  const auto [stop, error] = std::from_chars(plain->data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

enum class IntegerText { kGood, kTooLarge, kNone };

IntegerText ParseInteger(std::string_view text, std::int64_t& number) {
  auto plain = PlainNumber(text);
  if (!plain) return IntegerText::kNone;
  if (const std::size_t dot = plain->find('.'); dot != plain->npos) {
    const bool zeros =
        dot + 1 < plain->size() && plain->find_first_not_of('0', dot + 1) == plain->npos;
    if (!zeros) return IntegerText::kNone;
    plain->resize(dot);
  }
  const char* end = plain->data() + plain->size();
  const auto [stop, error] = std::from_chars(plain->data(), end, number);
  if (stop != end || plain->empty()) return IntegerText::kNone;
  if (error == std::errc::result_out_of_range) return IntegerText::kTooLarge;
  return error == std::errc() ? IntegerText::kGood : IntegerText::kNone;
}

std::optional<bool> ParseBool(std::string_view text) {
  const std::string lower = ToLower(text);
  for (std::string_view word : {"1", "true", "t", "yes", "y", "on"})
    if (lower == word) return true;
  for (std::string_view word : {"0", "false", "f", "no", "n", "off"})
    if (lower == word) return false;
  return std::nullopt;
}

bool IsNullSchema(const json::value& schema) {
  return FindString(schema, "type") == "null";
}

class PydanticFitter {
 public:
  void Fit(const json::value& schema, json::value& value, const std::string& place) {
    if (errors_.size() >= kPydanticErrorsMax) return;
    if (const json::value* any = Find(schema, "anyOf"); any && any->is_array())
      return FitAny(any->get_array(), value, place);
    if (const json::value* choices = Find(schema, "enum"); choices && choices->is_array())
      return FitChoice(choices->get_array(), value, place);
    const std::string_view type = FindString(schema, "type");
    if (type == "string") {
      if (!value.is_string()) Add(place, "string_type", "Input should be a valid string", value);
    } else if (type == "integer") {
      FitInteger(value, place);
    } else if (type == "number") {
      FitNumber(value, place);
    } else if (type == "boolean") {
      FitBool(value, place);
    } else if (type == "array") {
      FitList(schema, value, place);
    } else if (type == "object") {
      if (!value.is_object()) Add(place, "dict_type", "Input should be a valid dictionary", value);
    }
  }

  void Missing(const std::string& place, const json::object& arguments) {
    if (errors_.size() < kPydanticErrorsMax)
      Add(place, "missing", "Field required", json::value(arguments));
  }

  const std::vector<PydanticError>& errors() const { return errors_; }

 private:
  void Add(const std::string& place,
           std::string_view type,
           std::string message,
           const json::value& value) {
    errors_.push_back({place, type, std::move(message), Shortened(PythonRepr(value)),
                       std::string(PythonType(value))});
  }

  void FitAny(const json::array& options, json::value& value, const std::string& place) {
    std::vector<const json::value*> others;  // but null
    for (const json::value& option : options) {
      if (!IsNullSchema(option)) {
        others.push_back(&option);
      } else if (value.is_null()) {
        return;
      }
    }
    if (others.size() == 1) return Fit(*others.front(), value, place);
    // The one that fits as it stands wins over one that would convert.
    std::vector<PydanticError> problems;
    std::optional<json::value> converted;
    for (const json::value* option : others) {
      PydanticFitter attempt;
      json::value copy = value;
      attempt.Fit(*option, copy, place + "." + std::string(PydanticName(*option)));
      if (attempt.errors_.empty() && copy == value) return;
      if (attempt.errors_.empty() && !converted) converted = std::move(copy);
      for (PydanticError& error : attempt.errors_) problems.push_back(std::move(error));
    }
    if (converted) {
      value = std::move(*converted);
      return;
    }
    for (PydanticError& error : problems) errors_.push_back(std::move(error));
  }

  static std::string_view PydanticName(const json::value& schema) {
    const std::string_view type = FindString(schema, "type");
    if (type == "string") return "str";
    if (type == "integer") return "int";
    if (type == "number") return "float";
    if (type == "boolean") return "bool";
    if (type == "array") return "list[any]";
    return "dict[str,any]";
  }

  void FitChoice(const json::array& choices, const json::value& value, const std::string& place) {
    std::string wanted;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == value) return;
      if (i > 0) wanted += i + 1 == choices.size() ? " or " : ", ";
      wanted += PythonRepr(choices[i]);
    }
    Add(place, "literal_error", "Input should be " + wanted, value);
  }

  void FitInteger(json::value& value, const std::string& place) {
    constexpr std::string_view kSize =
        "Unable to parse input string as an integer, exceeded maximum size";
    if (value.is_int64()) return;
    if (value.is_bool()) {
      value = value.get_bool() ? 1 : 0;
    } else if (value.is_uint64()) {
      Add(place, "int_parsing_size", std::string(kSize), value);
    } else if (value.is_double()) {
      const double number = value.get_double();
      if (!std::isfinite(number) || std::trunc(number) != number)
        return Add(place, "int_from_float",
                   "Input should be a valid integer, got a number with a fractional part", value);
      if (std::fabs(number) >= 9.2e18)
        return Add(place, "int_parsing_size", std::string(kSize), value);
      value = static_cast<std::int64_t>(number);
    } else if (value.is_string()) {
      std::int64_t number = 0;
      switch (ParseInteger(View(value.get_string()), number)) {
        case IntegerText::kGood:
          value = number;
          return;
        case IntegerText::kTooLarge:
          return Add(place, "int_parsing_size", std::string(kSize), value);
        case IntegerText::kNone:
          return Add(place, "int_parsing",
                     "Input should be a valid integer, unable to parse string as an integer",
                     value);
      }
    } else {
      Add(place, "int_type", "Input should be a valid integer", value);
    }
  }

  void FitNumber(json::value& value, const std::string& place) {
    if (value.is_number()) return;
    if (value.is_bool()) {
      value = value.get_bool() ? 1.0 : 0.0;
    } else if (value.is_string()) {
      const auto number = ParseDouble(View(value.get_string()));
      if (!number)
        return Add(place, "float_parsing",
                   "Input should be a valid number, unable to parse string as a number", value);
      value = *number;
    } else {
      Add(place, "float_type", "Input should be a valid number", value);
    }
  }

  void FitBool(json::value& value, const std::string& place) {
    if (value.is_bool()) return;
    std::optional<bool> meant;
    const bool readable = value.is_string() || value.is_int64();
    if (value.is_string()) meant = ParseBool(View(value.get_string()));
    if (value.is_number() && value.to_number<double>() == 0) meant = false;
    if (value.is_number() && value.to_number<double>() == 1) meant = true;
    if (meant) {
      value = *meant;
    } else if (readable) {
      Add(place, "bool_parsing", "Input should be a valid boolean, unable to interpret input",
          value);
    } else {
      Add(place, "bool_type", "Input should be a valid boolean", value);
    }
  }

  void FitList(const json::value& schema, json::value& value, const std::string& place) {
    if (!value.is_array()) return Add(place, "list_type", "Input should be a valid list", value);
    const json::value* item_schema = Find(schema, "items");
    if (item_schema == nullptr) return;
    json::array& items = value.get_array();
    for (std::size_t i = 0; i < items.size() && errors_.size() < kPydanticErrorsMax; ++i)
      Fit(*item_schema, items[i], place + "." + std::to_string(i));
  }

  std::vector<PydanticError> errors_;
};

// Models like to send a list or an object as its text; FastMCP reads that unless the argument is
// plainly a string.
void ReadText(const json::value& schema, json::value& value) {
  if (!value.is_string()) return;
  if (FindString(schema, "type") == "string" && Find(schema, "enum") == nullptr) return;
  auto parsed = ParseJson(View(value.get_string()));
  if (parsed && (parsed->is_structured() || parsed->is_null())) value = std::move(*parsed);
}

std::string RenderPydantic(std::string_view tool, const std::vector<PydanticError>& errors) {
  std::string out = std::to_string(errors.size()) +
                    (errors.size() == 1 ? " validation error for " : " validation errors for ") +
                    std::string(tool) + "Arguments";
  for (const PydanticError& error : errors) {
    const std::string type(error.type);
    out += "\n" + error.place + "\n  " + error.message + " [type=" + type +
           ", input_value=" + error.value + ", input_type=" + error.value_type +
           "]\n    For further information visit https://errors.pydantic.dev/" +
           std::string(kPydanticVersion) + "/v/" + type;
  }
  return out;
}

}  // namespace

std::string FitPydantic(std::string_view tool,
                        const json::object& schema,
                        json::object& arguments) {
  const json::value* properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return {};
  for (const auto& property : properties->get_object())
    if (json::value* value = arguments.if_contains(property.key()))
      ReadText(property.value(), *value);
  const json::object given = arguments;
  const json::value* required = schema.if_contains("required");
  PydanticFitter fitter;
  for (const auto& property : properties->get_object()) {
    const std::string name(property.key());
    if (json::value* value = arguments.if_contains(name)) {
      fitter.Fit(property.value(), *value, name);
      continue;
    }
    if (required == nullptr || !required->is_array()) continue;
    for (const json::value& one : required->get_array())
      if (one == property.key()) fitter.Missing(name, given);
  }
  return fitter.errors().empty() ? std::string() : RenderPydantic(tool, fitter.errors());
}

}  // namespace viv::tools
