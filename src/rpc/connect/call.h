#pragma once
// Reads a call's headers and body before its method is called. Internal to the service.

#include <optional>
#include <string>

#include "base/task.h"
#include "rpc/connect/codec.h"
#include "rpc/connect/envelope.h"
#include "rpc/connect/service.h"

namespace viv::connect {

// Reads Connect's own headers; a malformed one and a compression are refused.
RpcResult<Call> ReadCall(const http::Request& request);

// The whole body, streamed or not; kResourceExhausted above the limit of a message.
Task<RpcResult<std::string>> ReadBody(http::Request& request);

// The messages of a streaming request, from its body or while it arrives.
class BodyMessageReader : public MessageReader {
 public:
  // Everything given outlives it.
  BodyMessageReader(http::Request& request,
                    Codec codec,
                    const Schema& schema,
                    std::string_view type);
  Task<RpcResult<std::optional<json::object>>> Read() override;

 private:
  http::Request& request_;
  const Codec codec_;
  const Schema& schema_;
  const std::string_view type_;
  EnvelopeSplitter splitter_;
  bool ended_ = false;
};

}  // namespace viv::connect
