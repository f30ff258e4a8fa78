#pragma once
// The codec of a request, and reading and writing messages in it. Internal to the service.

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "rpc/connect/rpc_error.h"
#include "rpc/connect/schema.h"

namespace viv::connect {

enum class Codec { kJson, kBinary };

// By the content type: "application/json" and "application/proto", or for streams
// "application/connect+json" and "application/connect+proto"; nothing for others.
std::optional<Codec> UnaryCodec(std::string_view content_type);
std::optional<Codec> StreamCodec(std::string_view content_type);
std::string_view UnaryContentType(Codec codec);
std::string_view StreamContentType(Codec codec);

// An empty text is an empty message in either form.
RpcResult<json::object> ReadMessage(Codec codec,
                                    const Schema& schema,
                                    std::string_view type,
                                    std::string_view bytes);
std::string WriteMessage(Codec codec,
                         const Schema& schema,
                         std::string_view type,
                         const json::object& message);

}  // namespace viv::connect
