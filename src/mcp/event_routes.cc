// The older transport: an event stream, and messages posted beside it whose responses travel down
// the stream.

#include <boost/asio/this_coro.hpp>

#include "http/sse.h"
#include "mcp/event_sessions.h"
#include "mcp/http_responses.h"
#include "mcp/routes.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;
using rpc::JsonRpcMessage;

constexpr std::chrono::seconds kEventsKeepalive{15};

Task<void> ServeEvents(EventSessions& sessions,
                       EndpointPtr endpoint,
                       std::string messages_url,
                       http::BodyWriter& writer) {
  EventSessions::Session session = sessions.Open(co_await asio::this_coro::executor, endpoint);
  http::ServerSentEvent first;
  first.event = "endpoint";
  first.data = messages_url + session.id();
  Status written = co_await writer.Write(http::FormatEvent(first));
  while (written && endpoint->exists() && !session.too_slow()) {
    std::vector<std::string> messages = co_await session.Wait(kEventsKeepalive);
    if (session.over() && messages.empty()) co_return;
    std::string piece;
    for (std::string& message : messages) piece += EventText(std::move(message));
    if (piece.empty()) piece = http::kEventKeepalive;
    written = co_await writer.Write(std::move(piece));
  }
}

// Runs beside the stream that it answers into, and ends with it.
Task<void> RespondOnStream(EventSessions& sessions,
                           std::string session_id,
                           EndpointPtr endpoint,
                           ReceivedMessage incoming) {
  Caller caller;
  caller.version = kBatchVersion;
  caller.session = session_id;
  if (incoming.message.kind != JsonRpcMessage::Kind::kRequest) {
    co_await endpoint->Notify(std::move(incoming), std::move(caller));
    co_return;
  }
  json::value id = incoming.message.id;
  Reply reply = co_await endpoint->Handle(std::move(incoming), std::move(caller));
  for (std::string& notification : reply.messages)
    sessions.Send(session_id, std::move(notification));
  if (reply.stream == nullptr) {
    if (!reply.cancelled) sessions.Send(session_id, std::move(reply.body));
    co_return;
  }
  for (bool last = false; !last;) {
    ReplyStream::Line line = co_await NextLine(id, reply.stream);
    last = line.last;
    if (!line.message.empty()) sessions.Send(session_id, std::move(line.message));
  }
}

}  // namespace

Task<http::Response> Routes::OpenEvents(http::Request& request) {
  if (!IsAllowed(origins_, request)) co_return RefuseOrigin(origins_, request);
  Result<EndpointPtr> endpoint = FindEndpoint(request);
  if (!endpoint) co_return ErrorResponse(404, JsonRpcCode::kNotFound, endpoint.error().message);
  // The request's own path decides the endpoint's, so that a prefix in front of ours stays.
  std::string messages_url = request.path.substr(0, request.path.rfind("/sse")) + "/messages?" +
                             (*endpoint)->query() + "&session_id=";
  co_return http::EventStream([this, open = *endpoint, messages_url](http::BodyWriter& writer) {
    return ServeEvents(*event_sessions_, open, messages_url, writer);
  });
}

Task<http::Response> Routes::PostEvent(http::Request& request) {
  if (!IsAllowed(origins_, request)) co_return RefuseOrigin(origins_, request);
  Result<EndpointPtr> endpoint = FindEndpoint(request);
  if (!endpoint) co_return ErrorResponse(404, JsonRpcCode::kNotFound, endpoint.error().message);
  if (auto refusal = RefuseTooMany(**endpoint)) co_return *std::move(refusal);
  std::string session_id = request.Query("session_id").value_or("");
  if (!event_sessions_->Has(session_id))
    co_return ErrorResponse(404, JsonRpcCode::kNotFound, "Could not find session");
  if (request.deferred_body != nullptr) {
    std::optional<http::Response> refusal = co_await LoadMessage(request, **endpoint);
    if (refusal) co_return *std::move(refusal);
  }
  auto body = ParseJson(request.body);
  if (!body)
    co_return ErrorResponse(400, JsonRpcCode::kParseError, "Parse error: " + body.error().message);
  ReceivedMessage incoming;
  incoming.text = std::move(request.body);
  incoming.message = rpc::ReadJsonRpc(std::move(*body));
  if (incoming.message.kind == JsonRpcMessage::Kind::kInvalid) {
    co_return ErrorResponse(400, JsonRpcCode::kInvalidRequest,
                            "Invalid Request: " + incoming.message.problem, incoming.message.id);
  }
  bool taken = event_sessions_->Spawn(
      session_id,
      RespondOnStream(*event_sessions_, session_id, *std::move(endpoint), std::move(incoming)));
  if (!taken)
    co_return ErrorResponse(503, JsonRpcCode::kInternalError, "Too many messages are under way");
  co_return http::Text(202, "Accepted");
}

}  // namespace viv::mcp
