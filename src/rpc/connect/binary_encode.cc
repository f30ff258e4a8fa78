// JSON into protobuf's binary form. The JSON is our own response, so what does not fit its type is
// left out rather than reported.

#include <algorithm>

#include "base/base64.h"
#include "base/timestamp.h"
#include "rpc/connect/json_integer.h"
#include "rpc/connect/schema.h"

namespace viv::connect {
namespace {

void AppendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void AppendWithLength(std::string& out, std::uint32_t number, std::string_view bytes) {
  AppendVarint(out, std::uint64_t{number} << 3 | 2);
  AppendVarint(out, bytes.size());
  out += bytes;
}

void AppendNumber(std::string& out, std::uint32_t number, std::uint64_t value) {
  AppendVarint(out, std::uint64_t{number} << 3);
  AppendVarint(out, value);
}

class BinaryEncoder {
 public:
  explicit BinaryEncoder(const Schema& schema) : schema_(schema) {}

  std::string Message(std::string_view type, const json::object& message) const {
    std::string out;
    const MessageType* known = FindMessage(schema_, type);
    if (known == nullptr) return out;
    for (const Field& field : known->fields) {
      const json::value* member = message.if_contains(field.name);
      if (member != nullptr) Append(out, field, *member);
    }
    return out;
  }

 private:
  void Append(std::string& out, const Field& field, const json::value& value) const {
    if (field.shape == FieldShape::kRepeated) {
      if (!value.is_array()) return;
      for (const json::value& item : value.get_array()) One(out, field, item);
    } else if (field.shape == FieldShape::kStringMap) {
      if (!value.is_object()) return;
      Field part{.number = 2, .name = field.name, .type = field.type, .of = field.of};
      for (const auto& [key, item] : value.get_object()) {
        std::string entry;
        AppendWithLength(entry, 1, key);
        One(entry, part, item);
        AppendWithLength(out, field.number, entry);
      }
    } else {
      One(out, field, value);
    }
  }

  void One(std::string& out, const Field& field, const json::value& value) const {
    switch (field.type) {
      case FieldType::kBool:
        if (value.is_bool()) AppendNumber(out, field.number, value.get_bool() ? 1 : 0);
        return;
      case FieldType::kEnum:
        return Enum(out, field, value);
      case FieldType::kString:
        if (value.is_string()) AppendWithLength(out, field.number, View(value.get_string()));
        return;
      case FieldType::kBytes:
        if (!value.is_string()) return;
        if (auto bytes = DecodeBase64(View(value.get_string()))) {
          AppendWithLength(out, field.number, *bytes);
        }
        return;
      case FieldType::kTimestamp:
        return Time(out, field, value);
      case FieldType::kMessage:
        if (!value.is_object()) return;
        return AppendWithLength(out, field.number, Message(field.of, value.get_object()));
      default:
        return Number(out, field, value);
    }
  }

  static void Number(std::string& out, const Field& field, const json::value& value) {
    auto number = IntegerOf(value);
    if (!number) return;
    auto bits = static_cast<std::uint64_t>(*number);
    if (field.type == FieldType::kSint32) {
      auto low = static_cast<std::int32_t>(*number);
      bits = static_cast<std::uint32_t>(low) << 1 ^ static_cast<std::uint32_t>(low >> 31);
    }
    AppendNumber(out, field.number, bits);
  }

  void Enum(std::string& out, const Field& field, const json::value& value) const {
    const EnumType* type = FindEnum(schema_, field.of);
    if (!value.is_string() || type == nullptr) return Number(out, field, value);
    std::string_view name = View(value.get_string());
    auto found = std::find(type->values.begin(), type->values.end(), name);
    if (name.empty() || found == type->values.end()) return;
    AppendNumber(out, field.number, static_cast<std::uint64_t>(found - type->values.begin()));
  }

  static void Time(std::string& out, const Field& field, const json::value& value) {
    if (!value.is_string()) return;
    auto time = ParseTimestamp(View(value.get_string()));
    if (!time) return;
    std::string message;
    if (time->seconds != 0) AppendNumber(message, 1, static_cast<std::uint64_t>(time->seconds));
    if (time->nanos != 0) AppendNumber(message, 2, static_cast<std::uint64_t>(time->nanos));
    AppendWithLength(out, field.number, message);
  }

  const Schema& schema_;
};

}  // namespace

std::string EncodeBinary(const Schema& schema, std::string_view type, const json::object& message) {
  return BinaryEncoder(schema).Message(type, message);
}

}  // namespace viv::connect
