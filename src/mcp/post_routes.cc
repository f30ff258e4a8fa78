// Answers to what was posted over streamable HTTP: one message, or a batch.

#include "mcp/http_responses.h"
#include "mcp/routes.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;
using rpc::JsonRpcMessage;

constexpr std::size_t kBatchMax = 100;

http::Response RefuseBatch(std::string problem) {
  return ErrorResponse(400, JsonRpcCode::kInvalidRequest, "Invalid Request: " + problem);
}

http::Response JoinBatch(const std::vector<std::string>& answers) {
  std::string body = "[";
  for (const std::string& reply : answers) {
    if (body.size() > 1) body += ',';
    body += reply;
  }
  return http::Json(200, body + "]");
}

// The messages of a batch in their order, each answered before the next one.
struct BatchReplies {
  std::vector<std::string> notifications;
  std::vector<std::string> answers;
};

Task<void> HandleInBatch(EndpointPtr endpoint,
                         ReceivedMessage incoming,
                         Caller caller,
                         BatchReplies& into) {
  json::value id = incoming.message.id;
  Reply reply = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  for (std::string& notification : reply.messages)
    into.notifications.push_back(std::move(notification));
  std::string body = std::move(reply.body);
  if (reply.stream != nullptr)
    body = co_await AwaitResponse(std::move(id), std::move(reply.stream));
  if (!reply.cancelled && !body.empty()) into.answers.push_back(std::move(body));
}

}  // namespace

Task<http::Response> Routes::RespondToMessage(const http::Request& request,
                                              EndpointPtr endpoint,
                                              ReceivedMessage incoming) {
  bool is_initialize = incoming.message.method == "initialize";
  json::value id = incoming.message.id;
  std::string key = endpoint->key();
  Caller caller = CallerFrom(request);
  Reply reply = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  if (reply.cancelled) co_return http::Empty(202);
  bool takes_events = Accepts(request, "text/event-stream");
  if (reply.stream != nullptr && takes_events) {
    StreamedReply events{std::move(id), std::move(reply.messages), std::move(reply.stream)};
    co_return StreamEvents(std::move(events));
  }
  if (reply.stream != nullptr) {
    reply.messages.clear();
    reply.body = co_await AwaitResponse(std::move(id), std::move(reply.stream));
    if (reply.body.empty()) co_return http::Empty(202);
  }
  bool as_events =
      !Accepts(request, "application/json") || (!reply.messages.empty() && takes_events);
  http::Response response;
  if (as_events && reply.status == 200) {
    std::vector<std::string> messages = std::move(reply.messages);
    messages.push_back(std::move(reply.body));
    response = Events(std::move(messages));
  } else {
    response = http::Json(reply.status, std::move(reply.body));
  }
  if (reply.retry_after_s > 0)
    response.headers.Set("Retry-After", std::to_string(reply.retry_after_s));
  if (is_initialize) response.headers.Set("Mcp-Session-Id", sessions_.Make(key));
  co_return response;
}

Task<http::Response> Routes::RespondToBatch(const http::Request& request,
                                            EndpointPtr endpoint,
                                            json::array batch) {
  Caller caller = CallerFrom(request);
  if (caller.version > kBatchVersion)
    co_return RefuseBatch("this protocol revision has no batches");
  if (batch.empty()) co_return RefuseBatch("an empty batch");
  if (batch.size() > kBatchMax) co_return RefuseBatch("more than 100 messages");
  caller.version = kBatchVersion;
  for (std::size_t i = 1; i < batch.size(); ++i)  // the first was counted with the request
    if (auto refusal = RefuseTooMany(*endpoint)) co_return *std::move(refusal);
  BatchReplies all;
  for (json::value& item : batch) {
    ReceivedMessage incoming;
    incoming.text = WriteJson(item);
    incoming.message = rpc::ReadJsonRpc(std::move(item));
    const JsonRpcMessage& message = incoming.message;
    if (message.kind == JsonRpcMessage::Kind::kInvalid) {
      all.answers.push_back(rpc::JsonRpcFailure(
          message.id, {JsonRpcCode::kInvalidRequest, "Invalid Request: " + message.problem}));
    } else if (message.kind == JsonRpcMessage::Kind::kRequest && message.method == "initialize") {
      all.answers.push_back(rpc::JsonRpcFailure(
          message.id, {JsonRpcCode::kInvalidRequest, "initialize cannot be part of a batch"}));
    } else if (message.kind == JsonRpcMessage::Kind::kRequest) {
      co_await HandleInBatch(endpoint, std::move(incoming), caller, all);
    } else {
      co_await endpoint->Notify(std::move(incoming), caller);
    }
  }
  if (all.answers.empty()) co_return http::Empty(202);
  if (Accepts(request, "application/json")) co_return JoinBatch(all.answers);
  std::vector<std::string> messages = std::move(all.notifications);
  for (std::string& reply : all.answers) messages.push_back(std::move(reply));
  co_return Events(std::move(messages));
}

}  // namespace viv::mcp
