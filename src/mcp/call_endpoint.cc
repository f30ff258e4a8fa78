#include "mcp/call_endpoint.h"

#include "mcp/http_responses.h"
#include "rpc/jsonrpc/members.h"
#include "rpc/mcp/revisions.h"

namespace viv::mcp {
namespace {

constexpr int kToolPagesMax = 100;
constexpr std::size_t kAskedToolsMax = 10'000;

// What was answered: a server in a box may say anything.
Result<std::string> ResultIn(const std::string& response) {
  auto parsed = ParseJson(response);
  if (!parsed) return Fail(ErrorCode::kUnavailable, "the server's answer is no JSON");
  if (const json::value* error = Find(*parsed, "error")) {
    std::string_view message = FindString(*error, "message");
    return Fail(ErrorCode::kInvalidArgument,
                message.empty() ? "the server answered with an error" : std::string(message));
  }
  std::optional<std::string_view> result = rpc::FindMember(response, "result");
  if (!result || !result->starts_with('{'))
    return Fail(ErrorCode::kUnavailable, "the server answered without a result");
  return std::string(*result);
}

}  // namespace

Task<Result<std::string>> CallEndpoint(EndpointPtr endpoint,
                                       std::string method,
                                       json::object params,
                                       http::ClientConnection* client) {
  json::value message = json::object{
      {"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
  ReceivedMessage incoming;
  incoming.text = WriteJson(message);
  incoming.message = rpc::ReadJsonRpc(std::move(message));
  Caller caller;
  caller.version = kLatestHandshake;
  caller.client = client;
  Reply reply = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  std::string body = std::move(reply.body);
  const json::value id = 1;
  if (reply.stream != nullptr) body = co_await AwaitResponse(id, std::move(reply.stream));
  if (reply.cancelled || body.empty())
    co_return Fail(ErrorCode::kUnavailable, "the call was cancelled");
  co_return ResultIn(body);
}

Task<Result<json::array>> ListEndpointTools(EndpointPtr endpoint, http::ClientConnection* client) {
  const std::string method = "tools/list";
  json::array tools;
  json::object params;
  for (int page = 0; page < kToolPagesMax; ++page) {
    ASSIGN_OR_CO_RETURN(std::string text, co_await CallEndpoint(endpoint, method, params, client));
    ASSIGN_OR_CO_RETURN(json::value result, ParseJson(text));
    const json::value* listed = Find(result, "tools");
    if (listed == nullptr || !listed->is_array())
      co_return Fail(ErrorCode::kUnavailable, "the server lists no tools");
    for (const json::value& tool : listed->get_array()) tools.push_back(tool);
    std::string cursor(FindString(result, "nextCursor"));
    if (cursor.empty() || tools.size() >= kAskedToolsMax) break;
    params["cursor"] = std::move(cursor);
  }
  co_return tools;
}

}  // namespace viv::mcp
