// A body of an MCP request: parsing, classifying, and checking arguments against a schema.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "fuzz_target.h"
#include "rpc/jsonrpc/message.h"
#include "schema/json_schema.h"

FUZZ_TARGET(jsonrpc)(const std::uint8_t* data, std::size_t size) {
  using namespace viv;
  static const json::value schema = *ParseJson(
      R"({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
    "a": {"type": ["string", "null"], "minLength": 2, "maxLength": 5, "pattern": "^x"}, "b": {"type": "integer", "minimum": 1},
    "c": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"enum": [1, 2]}]}, "maxItems": 3}}})");
  auto body = ParseJson(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!body) return 0;
  (void)PrettyJson(*body);
  (void)schema::FindSchemaViolation(schema, *body);
  rpc::JsonRpcMessage message = rpc::ReadJsonRpc(std::move(*body));
  (void)rpc::JsonRpcFailure(message.id, {rpc::JsonRpcCode::kInvalidRequest, message.problem});
  if (const json::value* arguments = Find(message.params, "arguments"))
    (void)schema::FindSchemaViolation(schema, *arguments);
  return 0;
}
