#include "mcp/http_responses.h"

#include "base/text.h"
#include "http/deferred_body.h"
#include "http/sse.h"
#include "rpc/mcp/revisions.h"

namespace viv::mcp {
namespace {

Task<void> SendEvents(std::shared_ptr<StreamedReply> events, http::BodyWriter& writer) {
  std::string first;
  for (std::string& message : events->messages) first += EventText(std::move(message));
  Status written = co_await writer.Write(std::move(first));
  bool last = false;
  while (written && !last) {
    ReplyStream::Line line = co_await NextLine(events->id, events->stream);
    last = line.last;
    if (line.message.empty()) continue;
    written = co_await writer.Write(EventText(std::move(line.message)));
  }
}

}  // namespace

Task<std::optional<http::Response>> LoadMessage(http::Request& request, const Endpoint& endpoint) {
  http::BodyLimits limits = http::MessageLimits();
  limits.owner = endpoint.account_id();
  co_return co_await http::LoadBody(request, std::move(limits));
}

http::Response ErrorResponse(int status,
                             rpc::JsonRpcCode code,
                             std::string message,
                             const json::value& id) {
  return http::Json(status, rpc::JsonRpcFailure(id, {code, std::move(message)}));
}

http::Response RefuseOrigin(const OriginPolicy& policy, const http::Request& request) {
  return ErrorResponse(403, rpc::JsonRpcCode::kInvalidRequest, WhyNotAllowed(policy, request));
}

std::string_view VersionOf(const http::Request& request) {
  std::string_view version = request.headers.Get("mcp-protocol-version");
  return version.empty() ? kBatchVersion : version;
}

Caller CallerFrom(const http::Request& request) {
  Caller caller;
  caller.version = VersionOf(request);
  caller.session = request.headers.Get("mcp-session-id");
  caller.client = request.client;
  return caller;
}

bool Accepts(const http::Request& request, std::string_view type) {
  std::string_view accept = request.headers.Get("accept");
  if (accept.empty()) return true;
  for (std::string_view range : Split(accept, ',')) {
    range = Trim(range.substr(0, range.find(';')));
    if (range == "*/*" || EqualsIgnoreCase(range, type)) return true;
    if (range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1))) return true;
  }
  return false;
}

std::string EventText(std::string message) {
  http::ServerSentEvent event;
  event.event = "message";
  event.data = std::move(message);
  return http::FormatEvent(event);
}

http::Response Events(std::vector<std::string> messages) {
  http::Response response;
  response.headers.Set("Content-Type", "text/event-stream");
  response.headers.Set("Cache-Control", "no-cache, no-transform");
  for (std::string& message : messages) response.body += EventText(std::move(message));
  return response;
}

http::Response StreamEvents(StreamedReply events) {
  auto kept = std::make_shared<StreamedReply>(std::move(events));
  return http::EventStream([kept](http::BodyWriter& writer) { return SendEvents(kept, writer); });
}

Task<ReplyStream::Line> NextLine(json::value id, std::shared_ptr<ReplyStream> stream) {
  Result<ReplyStream::Line> line = co_await stream->Next();
  if (line) co_return *std::move(line);
  rpc::JsonRpcError error{rpc::JsonRpcCode::kInternalError, line.error().message};
  co_return ReplyStream::Line{.message = rpc::JsonRpcFailure(id, error), .last = true};
}

Task<std::string> AwaitResponse(json::value id, std::shared_ptr<ReplyStream> stream) {
  for (;;) {
    ReplyStream::Line line = co_await NextLine(id, stream);
    if (line.last) co_return std::move(line.message);
  }
}

}  // namespace viv::mcp
