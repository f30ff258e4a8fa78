#pragma once
// JSON-RPC 2.0 messages: reading what a client sent, writing what it gets.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace viv::rpc {

enum class JsonRpcCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotFound = -32001,  // of the implementation's own range: the thing behind the URL is gone
  kHeaderMismatch = -32020,
  kUnsupportedVersion = -32022,
};

struct JsonRpcError {
  JsonRpcCode code = JsonRpcCode::kInternalError;
  std::string message;
  json::value data = nullptr;  // null: none
};

struct JsonRpcMessage {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };
  Kind kind = Kind::kInvalid;
  json::value id;  // string or number of a request; null otherwise
  std::string method;
  json::value params;   // an object, or null when absent
  std::string problem;  // of an invalid one
};

// Classifies one member of a body. Never fails: what is wrong is kInvalid with its problem.
JsonRpcMessage ReadJsonRpc(json::value value);

std::string JsonRpcResult(const json::value& id, std::string_view result_json);
std::string JsonRpcFailure(const json::value& id, const JsonRpcError& error);
std::string JsonRpcNotification(std::string_view method, const json::value& params);

}  // namespace viv::rpc
