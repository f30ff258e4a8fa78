#include "rpc/jsonrpc/message.h"

namespace viv::rpc {
namespace {

JsonRpcMessage Invalid(JsonRpcMessage message, std::string problem) {
  message.kind = JsonRpcMessage::Kind::kInvalid;
  message.problem = std::move(problem);
  return message;
}

}  // namespace

JsonRpcMessage ReadJsonRpc(json::value value) {
  JsonRpcMessage message;
  json::object* object = value.if_object();
  if (object == nullptr) return Invalid(std::move(message), "a message must be an object");
  const json::value* id = object->if_contains("id");
  bool has_id = id != nullptr && (id->is_string() || id->is_number());
  if (has_id) message.id = *id;
  if (FindString(value, "jsonrpc") != "2.0")
    return Invalid(std::move(message), "jsonrpc must be \"2.0\"");
  if (object->contains("result") || object->contains("error")) {
    message.kind = JsonRpcMessage::Kind::kResponse;
    return message;
  }
  const json::value* method = object->if_contains("method");
  if (method == nullptr || !method->is_string())
    return Invalid(std::move(message), "method must be a string");
  if (id != nullptr && !has_id)
    return Invalid(std::move(message), "id must be a string or a number");
  message.method = std::string(method->get_string());
  if (json::value* params = object->if_contains("params")) message.params = std::move(*params);
  if (!message.params.is_null() && !message.params.is_object()) {
    return Invalid(std::move(message), "params must be an object");
  }
  message.kind = has_id ? JsonRpcMessage::Kind::kRequest : JsonRpcMessage::Kind::kNotification;
  return message;
}

std::string JsonRpcResult(const json::value& id, std::string_view result_json) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out += WriteJson(id);
  out += R"(,"result":)";
  out += result_json;
  return out += '}';
}

std::string JsonRpcFailure(const json::value& id, const JsonRpcError& error) {
  json::object shown{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) shown["data"] = error.data;
  return WriteJson(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(shown)}});
}

std::string JsonRpcNotification(std::string_view method, const json::value& params) {
  return WriteJson(json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

}  // namespace viv::rpc
