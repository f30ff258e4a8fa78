// Foreign JSON into the one form that methods see.

#include <charconv>
#include <cmath>
#include <limits>

#include "base/base64.h"
#include "base/timestamp.h"
#include "rpc/connect/json_integer.h"
#include "rpc/connect/schema.h"

namespace viv::connect {

std::optional<std::int64_t> IntegerOf(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return std::nullopt;  // Boost keeps what fits as int64
  if (value.is_double()) {
    double number = value.get_double();
    if (std::trunc(number) != number || std::fabs(number) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (!value.is_string()) return std::nullopt;
  std::string_view text = View(value.get_string());
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

namespace {

// "exit_code" of "exitCode": the name a field has in the .proto file.
std::string ProtoName(std::string_view json_name) {
  std::string name;
  for (char c : json_name) {
    if (c >= 'A' && c <= 'Z') {
      name += '_';
      c = static_cast<char>(c - 'A' + 'a');
    }
    name += c;
  }
  return name;
}

class JsonNormalizer {
 public:
  explicit JsonNormalizer(const Schema& schema) : schema_(schema) {}

  Result<json::value> Message(std::string_view type, json::value value, int depth) const {
    constexpr int kShapeDepthMax = 32;
    if (!value.is_object()) return WrongKind("the message", "an object");
    if (depth > kShapeDepthMax) return Fail(ErrorCode::kInvalidArgument, "nested too deeply");
    json::object shaped;
    const MessageType* known = FindMessage(schema_, type);
    if (known == nullptr) return json::value(std::move(shaped));
    json::object& message = value.get_object();
    for (const Field& field : known->fields) {
      json::value* member = message.if_contains(field.name);
      if (member == nullptr) member = message.if_contains(ProtoName(field.name));
      if (member == nullptr || member->is_null()) continue;
      ASSIGN_OR_RETURN(json::value result, Member(field, std::move(*member), depth));
      shaped[field.name] = std::move(result);
    }
    return json::value(std::move(shaped));
  }

 private:
  static tl::unexpected<Error> WrongKind(std::string_view name, std::string_view kind) {
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + " must be " + std::string(kind));
  }

  Result<json::value> Member(const Field& field, json::value value, int depth) const {
    if (field.shape == FieldShape::kRepeated) {
      if (!value.is_array()) return WrongKind(field.name, "a list");
      for (json::value& item : value.get_array()) {
        ASSIGN_OR_RETURN(item, One(field, std::move(item), depth));
      }
      return value;
    }
    if (field.shape == FieldShape::kStringMap) {
      if (!value.is_object()) return WrongKind(field.name, "an object");
      for (auto& entry : value.get_object()) {
        ASSIGN_OR_RETURN(entry.value(), One(field, std::move(entry.value()), depth));
      }
      return value;
    }
    return One(field, std::move(value), depth);
  }

  Result<json::value> One(const Field& field, json::value value, int depth) const {
    switch (field.type) {
      case FieldType::kMessage: {
        auto message = Message(field.of, std::move(value), depth + 1);
        if (!message) return PassUp(std::move(message).error(), field.name);
        return message;
      }
      case FieldType::kBool:
        if (!value.is_bool()) return WrongKind(field.name, "true or false");
        return value;
      case FieldType::kString:
        if (!value.is_string()) return WrongKind(field.name, "text");
        return value;
      case FieldType::kBytes:
        return Bytes(field, std::move(value));
      case FieldType::kTimestamp:
        if (!value.is_string() || !ParseTimestamp(View(value.get_string()))) {
          return WrongKind(field.name, "an RFC 3339 time");
        }
        return value;
      case FieldType::kEnum:
        return Enum(field, value);
      default:
        return Number(field, value);
    }
  }

  static Result<json::value> Bytes(const Field& field, json::value value) {
    if (!value.is_string()) return WrongKind(field.name, "base64 text");
    auto bytes = DecodeBase64(View(value.get_string()));
    if (!bytes) return WrongKind(field.name, "base64 text");
    return json::value(EncodeBase64(*bytes));
  }

  static Result<json::value> Number(const Field& field, const json::value& value) {
    using Int32 = std::numeric_limits<std::int32_t>;
    auto number = IntegerOf(value);
    if (!number) return WrongKind(field.name, "an integer");
    if (field.type == FieldType::kInt64) return json::value(std::to_string(*number));
    bool fits = field.type == FieldType::kUint32
                    ? *number >= 0 && *number <= std::numeric_limits<std::uint32_t>::max()
                    : *number >= Int32::min() && *number <= Int32::max();
    if (!fits) return WrongKind(field.name, "an integer of 32 bits");
    return json::value(*number);
  }

  Result<json::value> Enum(const Field& field, const json::value& value) const {
    const EnumType* type = FindEnum(schema_, field.of);
    if (type == nullptr) return value;
    if (value.is_string()) {
      for (std::string_view name : type->values) {
        if (!name.empty() && name == View(value.get_string())) return value;
      }
      return WrongKind(field.name, "a value of " + std::string(field.of));
    }
    auto number = IntegerOf(value);
    if (!number) return WrongKind(field.name, "a value of " + std::string(field.of));
    bool known = *number >= 0 && static_cast<std::size_t>(*number) < type->values.size() &&
                 !type->values[static_cast<std::size_t>(*number)].empty();
    if (known) return json::value(type->values[static_cast<std::size_t>(*number)]);
    return json::value(*number);  // proto3's enums are open
  }

  const Schema& schema_;
};

}  // namespace

Result<json::object> NormalizeJson(const Schema& schema,
                                   std::string_view type,
                                   json::value message) {
  ASSIGN_OR_RETURN(json::value shaped, JsonNormalizer(schema).Message(type, std::move(message), 1));
  return std::move(shaped.get_object());
}

}  // namespace viv::connect
