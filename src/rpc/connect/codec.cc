#include "rpc/connect/codec.h"

#include "base/text.h"

namespace viv::connect {
namespace {

constexpr std::string_view kUnaryJson = "application/json";
constexpr std::string_view kUnaryBinary = "application/proto";
constexpr std::string_view kStreamJson = "application/connect+json";
constexpr std::string_view kStreamBinary = "application/connect+proto";

std::optional<Codec> CodecNamed(std::string_view content_type,
                                std::string_view json_name,
                                std::string_view binary_name) {
  std::string_view name = Trim(content_type.substr(0, content_type.find(';')));
  if (EqualsIgnoreCase(name, json_name)) return Codec::kJson;
  if (EqualsIgnoreCase(name, binary_name)) return Codec::kBinary;
  return std::nullopt;
}

}  // namespace

std::optional<Codec> UnaryCodec(std::string_view content_type) {
  return CodecNamed(content_type, kUnaryJson, kUnaryBinary);
}

std::optional<Codec> StreamCodec(std::string_view content_type) {
  return CodecNamed(content_type, kStreamJson, kStreamBinary);
}

std::string_view UnaryContentType(Codec codec) {
  return codec == Codec::kJson ? kUnaryJson : kUnaryBinary;
}

std::string_view StreamContentType(Codec codec) {
  return codec == Codec::kJson ? kStreamJson : kStreamBinary;
}

RpcResult<json::object> ReadMessage(Codec codec,
                                    const Schema& schema,
                                    std::string_view type,
                                    std::string_view bytes) {
  auto read = [&]() -> Result<json::object> {
    if (codec == Codec::kBinary) return DecodeBinary(schema, type, bytes);
    if (bytes.empty()) return json::object();
    ASSIGN_OR_RETURN(json::value value, ParseJson(bytes));
    return NormalizeJson(schema, type, std::move(value));
  };
  Result<json::object> message = read();
  if (!message) return FailRpc(Code::kInvalidArgument, std::move(message).error().message);
  return *std::move(message);
}

std::string WriteMessage(Codec codec,
                         const Schema& schema,
                         std::string_view type,
                         const json::object& message) {
  if (codec == Codec::kBinary) return EncodeBinary(schema, type, message);
  return WriteJson(message);
}

}  // namespace viv::connect
