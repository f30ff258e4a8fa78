#include "rpc/connect/schema.h"

#include <algorithm>

namespace viv::connect {

const MessageType* FindMessage(const Schema& schema, std::string_view name) {
  auto found = std::find_if(schema.messages.begin(), schema.messages.end(),
                            [&](const MessageType& type) { return type.name == name; });
  return found == schema.messages.end() ? nullptr : &*found;
}

const EnumType* FindEnum(const Schema& schema, std::string_view name) {
  auto found = std::find_if(schema.enums.begin(), schema.enums.end(),
                            [&](const EnumType& type) { return type.name == name; });
  return found == schema.enums.end() ? nullptr : &*found;
}

const Method* FindMethod(const Schema& schema, std::string_view service, std::string_view name) {
  auto found = std::find_if(
      schema.methods.begin(), schema.methods.end(),
      [&](const Method& method) { return method.service == service && method.name == name; });
  return found == schema.methods.end() ? nullptr : &*found;
}

}  // namespace viv::connect
