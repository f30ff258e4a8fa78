#pragma once
// A .proto file as a table: message types with their fields, and the request and response type of
// each method. Enough to turn protobuf's binary form into proto3 JSON and back.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace viv::connect {

enum class FieldType {
  kBool,
  kInt32,
  kSint32,  // zigzag on the wire
  kUint32,
  kInt64,
  kString,
  kBytes,
  kEnum,
  kMessage,
  kTimestamp
};
enum class FieldShape { kSingle, kRepeated, kStringMap };  // a map from string to `type`

struct Field {
  std::uint32_t number;
  std::string_view name;  // lowerCamelCase, as in JSON
  FieldType type;
  FieldShape shape = FieldShape::kSingle;
  std::string_view of = {};  // the message or enum type's name
};
struct MessageType {
  std::string_view name;
  std::span<const Field> fields;
};
struct EnumType {
  std::string_view name;
  std::span<const std::string_view> values;  // by number, from 0; an empty name is none
};
struct Method {
  std::string_view service;
  std::string_view name;
  std::string_view request;
  std::string_view response;
};
struct Schema {
  std::span<const MessageType> messages;
  std::span<const EnumType> enums;
  std::span<const Method> methods;
};

// Normalizes a message in JSON to its type: members the type does not have and nulls are left out,
// names as in the .proto file (`exit_code`) become lowerCamelCase, enums their names, int64 text
// and the smaller integers numbers. A member of the wrong kind is kInvalidArgument and named.
Result<json::object> NormalizeJson(const Schema& schema,
                                   std::string_view type,
                                   json::value message);

// Unknown fields are skipped; broken bytes and nesting deeper than 32 are kInvalidArgument.
Result<json::object> DecodeBinary(const Schema& schema,
                                  std::string_view type,
                                  std::string_view bytes);
// Members the type does not have, or that are of another kind, are left out.
std::string EncodeBinary(const Schema& schema, std::string_view type, const json::object& message);

// nullptr when there is none of that name.
const MessageType* FindMessage(const Schema& schema, std::string_view name);
const EnumType* FindEnum(const Schema& schema, std::string_view name);
const Method* FindMethod(const Schema& schema, std::string_view service, std::string_view name);

}  // namespace viv::connect
