// Protobuf's binary form into JSON. The bytes are foreign: every length is checked, nesting and the
// number of fields are limited, for a field of two bytes becomes a JSON value of forty.

#include <algorithm>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "rpc/connect/schema.h"

namespace viv::connect {
namespace {

constexpr int kBinaryDepthMax = 32;
constexpr std::size_t kBinaryFieldsMax = 250'000;

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytesWithLength = 2, kFixed32 = 5 };

tl::unexpected<Error> BinaryBroken(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, "broken protobuf message: " + std::string(what));
}

struct BinaryInput {
  std::string_view rest;

  std::optional<std::uint64_t> Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (rest.empty()) return std::nullopt;
      auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      if (shift == 63 && byte > 1) return std::nullopt;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> Take(std::uint64_t count) {
    if (count > rest.size()) return std::nullopt;
    std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }

  // The bytes of a field of this wire type; for a varint the ones it is made of.
  std::optional<std::string_view> Payload(std::uint32_t wire) {
    std::string_view before = rest;
    switch (wire) {
      case kVarint:
        if (!Varint()) return std::nullopt;
        return before.substr(0, before.size() - rest.size());
      case kFixed64:
        return Take(8);
      case kFixed32:
        return Take(4);
      case kBytesWithLength:
        if (auto length = Varint()) return Take(*length);
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }
};

bool TravelsAsVarint(FieldType type) {
  switch (type) {
    case FieldType::kBool:
    case FieldType::kInt32:
    case FieldType::kSint32:
    case FieldType::kUint32:
    case FieldType::kInt64:
    case FieldType::kEnum:
      return true;
    default:
      return false;
  }
}

class BinaryDecoder {
 public:
  explicit BinaryDecoder(const Schema& schema) : schema_(schema) {}

  // Adds what `bytes` say to `message`, as a field that comes twice is merged.
  Status Message(std::string_view type, std::string_view bytes, int depth, json::object& message) {
    if (depth > kBinaryDepthMax) return BinaryBroken("it is nested too deeply");
    const MessageType* known = FindMessage(schema_, type);
    BinaryInput input{bytes};
    while (!input.rest.empty()) {
      if (++fields_ > kBinaryFieldsMax) return BinaryBroken("it has too many fields");
      auto tag = input.Varint();
      if (!tag || *tag >> 3 == 0 || *tag > 0xffffffffu) return BinaryBroken("bad tag");
      auto wire = static_cast<std::uint32_t>(*tag & 7);
      auto payload = input.Payload(wire);
      if (!payload) return BinaryBroken("a field ends too early");
      const Field* field =
          known ? FindField(*known, static_cast<std::uint32_t>(*tag >> 3)) : nullptr;
      if (field != nullptr) RETURN_IF_ERROR(Add(*field, wire, *payload, depth, message));
    }
    return {};
  }

 private:
  static const Field* FindField(const MessageType& type, std::uint32_t number) {
    auto found = std::find_if(type.fields.begin(), type.fields.end(),
                              [&](const Field& field) { return field.number == number; });
    return found == type.fields.end() ? nullptr : &*found;
  }

  Status Add(const Field& field,
             std::uint32_t wire,
             std::string_view payload,
             int depth,
             json::object& message) {
    bool packed = field.shape == FieldShape::kRepeated && TravelsAsVarint(field.type) &&
                  wire == kBytesWithLength;
    if (packed) return Packed(field, payload, Array(message, field.name));
    std::uint32_t expected = TravelsAsVarint(field.type) && field.shape != FieldShape::kStringMap
                                 ? kVarint
                                 : kBytesWithLength;
    if (wire != expected)
      return BinaryBroken("field " + std::string(field.name) + " has another type");
    if (field.shape == FieldShape::kStringMap) return MapEntry(field, payload, depth, message);
    bool merges = field.shape == FieldShape::kSingle && field.type == FieldType::kMessage;
    if (merges) {
      json::value& member = message[field.name];
      if (!member.is_object()) member.emplace_object();
      return Message(field.of, payload, depth + 1, member.get_object());
    }
    ASSIGN_OR_RETURN(json::value value, Value(field, payload, depth));
    if (field.shape == FieldShape::kRepeated) {
      Array(message, field.name).push_back(std::move(value));
    } else {
      message[field.name] = std::move(value);
    }
    return {};
  }

  static json::array& Array(json::object& message, std::string_view name) {
    json::value& member = message[name];
    if (!member.is_array()) member.emplace_array();
    return member.get_array();
  }

  Status Packed(const Field& field, std::string_view payload, json::array& into) {
    BinaryInput input{payload};
    while (!input.rest.empty()) {
      if (++fields_ > kBinaryFieldsMax) return BinaryBroken("it has too many fields");
      auto value = input.Varint();
      if (!value) return BinaryBroken("a packed field ends too early");
      into.push_back(Number(field, *value));
    }
    return {};
  }

  // A map is a list of messages {key = 1, value = 2}; the last one of a key counts.
  Status MapEntry(const Field& field, std::string_view payload, int depth, json::object& message) {
    const Field parts[] = {{.number = 1, .name = "key", .type = FieldType::kString},
                           {.number = 2, .name = "value", .type = field.type, .of = field.of}};
    json::object entry;
    BinaryInput input{payload};
    while (!input.rest.empty()) {
      if (++fields_ > kBinaryFieldsMax) return BinaryBroken("it has too many fields");
      auto tag = input.Varint();
      if (!tag) return BinaryBroken("bad tag");
      auto bytes = input.Payload(*tag & 7);
      if (!bytes) return BinaryBroken("a field ends too early");
      std::uint64_t number = *tag >> 3;
      if (number != 1 && number != 2) continue;
      RETURN_IF_ERROR(Add(parts[number - 1], *tag & 7, *bytes, depth, entry));
    }
    json::value& member = message[field.name];
    if (!member.is_object()) member.emplace_object();
    const json::value* key = entry.if_contains("key");
    const json::value* value = entry.if_contains("value");
    std::string name(key ? View(key->get_string()) : std::string_view());
    member.get_object()[name] = value ? *value : json::value("");
    return {};
  }

  Result<json::value> Value(const Field& field, std::string_view payload, int depth) {
    switch (field.type) {
      case FieldType::kString:
        if (!IsValidUtf8(payload)) return BinaryBroken("a text is no valid UTF-8");
        return json::value(payload);
      case FieldType::kBytes:
        return json::value(EncodeBase64(payload));
      case FieldType::kTimestamp:
        return Time(payload);
      case FieldType::kMessage: {
        json::object message;
        RETURN_IF_ERROR(Message(field.of, payload, depth + 1, message));
        return json::value(std::move(message));
      }
      default:
        return Number(field, *BinaryInput{payload}.Varint());
    }
  }

  json::value Number(const Field& field, std::uint64_t value) const {
    auto low = static_cast<std::uint32_t>(value);
    switch (field.type) {
      case FieldType::kBool:
        return value != 0;
      case FieldType::kUint32:
        return static_cast<std::int64_t>(low);  // as parsed JSON has it
      case FieldType::kSint32:
        return static_cast<std::int32_t>(low >> 1 ^ (0 - (low & 1)));
      case FieldType::kInt64:
        return json::value(std::to_string(static_cast<std::int64_t>(value)));
      case FieldType::kEnum: {
        const EnumType* type = FindEnum(schema_, field.of);
        if (type != nullptr && low < type->values.size() && !type->values[low].empty()) {
          return json::value(type->values[low]);
        }
        return static_cast<std::int32_t>(low);
      }
      default:
        return static_cast<std::int32_t>(low);
    }
  }

  static Result<json::value> Time(std::string_view payload) {
    Timestamp time;
    BinaryInput input{payload};
    while (!input.rest.empty()) {
      auto tag = input.Varint();
      if (!tag) return BinaryBroken("bad tag");
      auto bytes = input.Payload(*tag & 7);
      if (!bytes) return BinaryBroken("a field ends too early");
      if ((*tag & 7) != kVarint) continue;
      std::uint64_t value = *BinaryInput{*bytes}.Varint();
      if (*tag >> 3 == 1) time.seconds = static_cast<std::int64_t>(value);
      if (*tag >> 3 == 2) time.nanos = static_cast<std::int32_t>(value);
    }
    return json::value(FormatTimestamp(time));
  }

  const Schema& schema_;
  std::size_t fields_ = 0;
};

}  // namespace

Result<json::object> DecodeBinary(const Schema& schema,
                                  std::string_view type,
                                  std::string_view bytes) {
  json::object message;
  RETURN_IF_ERROR(BinaryDecoder(schema).Message(type, bytes, 1, message));
  return message;
}

}  // namespace viv::connect
