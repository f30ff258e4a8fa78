// Answers to what was posted over streamable HTTP: one message, or a batch.

#include "mcp/http_answers.h"
#include "mcp/routes.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;
using rpc::JsonRpcMessage;

constexpr std::size_t kBatchMax = 100;

http::Response RefuseBatch(std::string problem) {
  return FailureResponse(400, JsonRpcCode::kInvalidRequest, "Invalid Request: " + problem);
}

http::Response JoinBatch(const std::vector<std::string>& answers) {
  std::string body = "[";
  for (const std::string& answer : answers) {
    if (body.size() > 1) body += ',';
    body += answer;
  }
  return http::Json(200, body + "]");
}

// The messages of a batch in their order, each answered before the next one.
struct BatchAnswers {
  std::vector<std::string> notices;
  std::vector<std::string> answers;
};

Task<void> AnswerInBatch(EndpointPtr endpoint,
                         Incoming incoming,
                         Caller caller,
                         BatchAnswers& into) {
  json::value id = incoming.message.id;
  Answer answer = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  for (std::string& notice : answer.messages) into.notices.push_back(std::move(notice));
  std::string body = std::move(answer.body);
  if (answer.live != nullptr) body = co_await AwaitResponse(std::move(id), std::move(answer.live));
  if (!answer.cancelled && !body.empty()) into.answers.push_back(std::move(body));
}

}  // namespace

Task<http::Response> Routes::AnswerOne(const http::Request& request,
                                       EndpointPtr endpoint,
                                       Incoming incoming) {
  bool is_initialize = incoming.message.method == "initialize";
  json::value id = incoming.message.id;
  std::string key = endpoint->key();
  Caller caller = CallerFrom(request);
  Answer answer = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  if (answer.cancelled) co_return http::Empty(202);
  bool takes_events = Accepts(request, "text/event-stream");
  if (answer.live != nullptr && takes_events) {
    LiveEvents events{std::move(id), std::move(answer.messages), std::move(answer.live)};
    co_return StreamEvents(std::move(events));
  }
  if (answer.live != nullptr) {
    answer.messages.clear();
    answer.body = co_await AwaitResponse(std::move(id), std::move(answer.live));
    if (answer.body.empty()) co_return http::Empty(202);
  }
  bool as_events =
      !Accepts(request, "application/json") || (!answer.messages.empty() && takes_events);
  http::Response response;
  if (as_events && answer.status == 200) {
    std::vector<std::string> messages = std::move(answer.messages);
    messages.push_back(std::move(answer.body));
    response = Events(std::move(messages));
  } else {
    response = http::Json(answer.status, std::move(answer.body));
  }
  if (answer.retry_after_s > 0)
    response.headers.Set("Retry-After", std::to_string(answer.retry_after_s));
  if (is_initialize) response.headers.Set("Mcp-Session-Id", sessions_.Make(key));
  co_return response;
}

Task<http::Response> Routes::AnswerBatch(const http::Request& request,
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
  BatchAnswers all;
  for (json::value& item : batch) {
    Incoming incoming;
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
      co_await AnswerInBatch(endpoint, std::move(incoming), caller, all);
    } else {
      co_await endpoint->Notify(std::move(incoming), caller);
    }
  }
  if (all.answers.empty()) co_return http::Empty(202);
  if (Accepts(request, "application/json")) co_return JoinBatch(all.answers);
  std::vector<std::string> messages = std::move(all.notices);
  for (std::string& answer : all.answers) messages.push_back(std::move(answer));
  co_return Events(std::move(messages));
}

}  // namespace viv::mcp
