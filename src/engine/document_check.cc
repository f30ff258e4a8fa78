#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/document.h"

namespace viv::engine {
namespace {

constexpr std::size_t kProblemsMax = 100;

std::string Quoted(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back("'" + word + "'");
  return JoinWithOr(quoted);
}

std::int64_t DocumentCodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

// Follows pydantic v2 in its lax mode: what it converts passes, what it refuses is refused in its
// words.
class DocumentChecker {
 public:
  std::vector<Problem> Check(const Model& model, const json::value& document) {
    const json::object* object = document.if_object();
    if (object == nullptr) {
      NotAnObject(document);
    } else {
      for (const ModelChild& child : model.collections) Children(child, *object);
    }
    return std::move(problems_);
  }

 private:
  void Add(std::string type,
           std::string message,
           const json::value& input,
           json::object context = {}) {
    if (problems_.size() >= kProblemsMax) return;
    problems_.push_back(
        {location_, std::move(message), std::move(type), input, std::move(context)});
  }

  void NotAnObject(const json::value& input) {
    Add("model_attributes_type",
        "Input should be a valid dictionary or object to extract fields from", input);
  }

  template <typename Visit>
  void Within(json::value step, Visit visit) {
    location_.push_back(std::move(step));
    visit();
    location_.pop_back();
  }

  void Children(const ModelChild& child, const json::object& object) {
    const json::value* value = FindMember(object, child.name, child.aliases);
    Within(json::string(child.name), [&] {
      if (value == nullptr) {
        if (child.required) Add("missing", "Field required", object);
        return;
      }
      if (value->is_null() && !child.required) return;
      if (child.single) return Row(*child.target, *value);
      if (!value->is_array()) return Add("list_type", "Input should be a valid list", *value);
      for (std::size_t i = 0; i < value->get_array().size(); ++i) {
        Within(static_cast<std::int64_t>(i), [&] { Row(*child.target, value->get_array()[i]); });
      }
    });
  }

  void Row(const Collection& collection, const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return NotAnObject(value);
    for (const ModelField& field : collection.fields) {
      if (field.read_only) continue;
      const json::value* given = FindMember(*object, field.name, field.aliases);
      Within(json::string(field.name), [&] {
        if (given == nullptr) {
          if (field.required) Add("missing", "Field required", value);
        } else if (!given->is_null() || !field.nullable) {
          Field(field, *given);
        }
      });
    }
    for (const ModelChild& child : collection.children) Children(child, *object);
  }

  void Field(const ModelField& field, const json::value& value) {
    if (!Type(field.type, value)) return;
    if (field.type == "list" && !field.item_type.empty()) {
      for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        Within(static_cast<std::int64_t>(i), [&] { Type(field.item_type, value.get_array()[i]); });
      }
    }
    if (!field.choices.empty() && value.is_string()) Choice(field, value);
    if (field.length_max && value.is_string() &&
        DocumentCodePoints(View(value.get_string())) > *field.length_max) {
      std::int64_t limit = *field.length_max;
      Add("string_too_long", "String should have at most " + std::to_string(limit) + " characters",
          value, {{"max_length", limit}});
    }
    if (value.is_number()) Range(field, value);
  }

  void Choice(const ModelField& field, const json::value& value) {
    for (const std::string& choice : field.choices) {
      if (View(value.get_string()) == choice) return;
    }
    std::string expected = Quoted(field.choices);
    Add("literal_error", "Input should be " + expected, value, {{"expected", expected}});
  }

  void Range(const ModelField& field, const json::value& value) {
    auto number = value.to_number<double>();
    if (field.minimum && number < *field.minimum) {
      json::value limit = Whole(*field.minimum);
      Add("greater_than_equal",
          "Input should be greater than or equal to " + json::serialize(limit), value,
          {{"ge", limit}});
    }
    if (field.maximum && number > *field.maximum) {
      json::value limit = Whole(*field.maximum);
      Add("less_than_equal", "Input should be less than or equal to " + json::serialize(limit),
          value, {{"le", limit}});
    }
  }

  static json::value Whole(double number) {
    if (std::trunc(number) == number) return static_cast<std::int64_t>(number);
    return number;
  }

  bool Type(const std::string& type, const json::value& value) {
    if (type == "string")
      return Expect(value.is_string(), "string_type", "Input should be a valid string", value);
    if (type == "email") return Email(value);
    if (type == "integer") return Integer(value);
    if (type == "number")
      return Expect(value.is_number(), "float_type", "Input should be a valid number", value);
    if (type == "boolean")
      return Expect(value.is_bool(), "bool_type", "Input should be a valid boolean", value);
    if (type == "object")
      return Expect(value.is_object(), "dict_type", "Input should be a valid dictionary", value);
    if (type == "list")
      return Expect(value.is_array(), "list_type", "Input should be a valid list", value);
    return true;
  }

  bool Expect(bool holds, const char* type, const char* message, const json::value& value) {
    if (!holds) Add(type, message, value);
    return holds;
  }

  bool Integer(const json::value& value) {
    if (value.is_double() && std::trunc(value.get_double()) != value.get_double()) {
      return Expect(false, "int_from_float",
                    "Input should be a valid integer, got a number with a fractional part", value);
    }
    bool too_large = value.is_uint64() ||
                     (value.is_double() && std::abs(value.get_double()) >= 9223372036854775808.0);
    if (too_large) {
      return Expect(false, "int_parsing_size",
                    "Input should be a valid integer, got one beyond 64 bits", value);
    }
    return Expect(value.is_number(), "int_type", "Input should be a valid integer", value);
  }

  bool Email(const json::value& value) {
    if (!Expect(value.is_string(), "string_type", "Input should be a valid string", value))
      return false;
    std::string_view text = View(value.get_string());
    std::size_t at = text.find('@');
    std::string reason;
    if (at == std::string_view::npos) {
      reason = "An email address must have an @-sign.";
    } else if (at == 0) {
      reason = "There must be something before the @-sign.";
    } else if (at + 1 == text.size()) {
      reason = "There must be something after the @-sign.";
    } else if (text.find_first_of(" \t\r\n", 0) != std::string_view::npos ||
               text.find('@', at + 1) != std::string_view::npos) {
      reason = "The email address contains invalid characters.";
    }
    if (reason.empty()) return true;
    Add("value_error", "value is not a valid email address: " + reason, value,
        {{"reason", reason}});
    return false;
  }

  json::array location_;
  std::vector<Problem> problems_;
};

}  // namespace

const json::value* FindMember(const json::object& object,
                              const std::string& name,
                              const std::vector<std::string>& aliases) {
  if (const json::value* value = object.if_contains(name)) return value;
  for (const std::string& alias : aliases) {
    if (const json::value* value = object.if_contains(alias)) return value;
  }
  return nullptr;
}

std::string LocationText(const Problem& problem) {
  std::string location;
  for (const json::value& step : problem.location) {
    if (step.is_string()) {
      location += (location.empty() ? "" : ".") + std::string(step.get_string());
    } else {
      location += "[" + json::serialize(step) + "]";
    }
  }
  return location;
}

std::vector<Problem> CheckDocument(const Model& model, const json::value& document) {
  return DocumentChecker().Check(model, document);
}

}  // namespace viv::engine
