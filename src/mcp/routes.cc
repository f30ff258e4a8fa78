#include "mcp/routes.h"

#include <chrono>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "http/middleware/auth.h"
#include "http/sse.h"
#include "mcp/box_endpoint.h"
#include "mcp/event_sessions.h"
#include "mcp/http_responses.h"
#include "mcp/mirrored_headers.h"
#include "mcp/world_endpoint.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;
using rpc::JsonRpcMessage;

constexpr std::chrono::seconds kStreamKeepalive{15};
// Of the range that JSON-RPC leaves to servers.
constexpr auto kTooManyRequestsCode = static_cast<JsonRpcCode>(-32029);
constexpr const char* kNoSandbox = "This sandbox does not exist or has been released";

bool IsJson(const http::Request& request) {
  std::string_view type = request.headers.Get("content-type");
  return EqualsIgnoreCase(Trim(type.substr(0, type.find(';'))), "application/json");
}

http::Response RefuseVersion(std::string_view version) {
  rpc::JsonRpcError error{JsonRpcCode::kUnsupportedVersion,
                          "Unsupported protocol version: " + std::string(version)};
  error.data = json::object{{"supported", KnownVersions()}, {"requested", version}};
  return http::Json(400, rpc::JsonRpcFailure(nullptr, error));
}

// What speaks against the request before anybody looks at whom it is for.
std::optional<http::Response> RefuseHead(const http::Request& request) {
  if (!IsJson(request)) {
    return ErrorResponse(415, JsonRpcCode::kInvalidRequest,
                         "Content-Type must be application/json");
  }
  if (!Accepts(request, "application/json") && !Accepts(request, "text/event-stream")) {
    return ErrorResponse(406, JsonRpcCode::kInvalidRequest,
                         "Accept must allow application/json or text/event-stream");
  }
  if (!IsKnownVersion(VersionOf(request))) return RefuseVersion(VersionOf(request));
  return std::nullopt;
}

Task<void> KeepOpen(EventSessions& streams, EndpointPtr endpoint, http::BodyWriter& writer) {
  EventSessions::Session stream = streams.Open(co_await asio::this_coro::executor, endpoint);
  while (!stream.over() && endpoint->exists()) {
    Status written = co_await writer.Write(std::string(http::kEventKeepalive));
    if (!written) co_return;
    co_await stream.Wait(kStreamKeepalive);
  }
}

}  // namespace

std::string ServerUrl(const std::string& base_url, const store::Sandbox& sandbox) {
  return base_url + "/mcp/" + PercentEncode(sandbox.server) + "/?instance_id=" + sandbox.lease_id;
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  JsonRpcCode code = JsonRpcCode::kInternalError;
  if (status == 404) code = JsonRpcCode::kNotFound;
  if (status == 413 || status == 400) code = JsonRpcCode::kInvalidRequest;
  return ErrorResponse(status, code, std::move(message));
}

Routes::Routes(worlds::Sandboxes& sandboxes,
               Local local,
               ProtocolOptions options,
               OriginPolicy origins,
               std::string secret)
    : sandboxes_(sandboxes),
      local_(local),
      protocol_(sandboxes, options),
      origins_(std::move(origins)),
      sessions_(std::move(secret)),
      event_sessions_(std::make_unique<EventSessions>()) {}

Routes::~Routes() = default;

void Routes::EndOrphanedStreams() {
  event_sessions_->EndOrphans();
}

void Routes::AddTo(http::Router& router) {
  auto bind = [this](Task<http::Response> (Routes::*handler)(http::Request&)) {
    return [this, handler](http::Request& request) { return (this->*handler)(request); };
  };
  // Repositories lie below /git too; a literal goes before their pattern.
  for (std::string_view path : {"/mcp/{server}", "/{server}/mcp", "/git/mcp"}) {
    router.Add("POST", path, bind(&Routes::Post));
    router.Add("GET", path, bind(&Routes::Get));
    router.Add("DELETE", path, bind(&Routes::Delete));
  }
  for (std::string path : {"/mcp/{server}", "/{server}", "/git"}) {
    router.Add("GET", path + "/sse", bind(&Routes::OpenEvents));
    router.Add("POST", path + "/messages", bind(&Routes::PostEvent));
  }
}

Result<EndpointPtr> Routes::FindEndpoint(const http::Request& request) {
  std::string_view server = request.Parameter("server");
  if (server.empty()) server = "git";  // of the literal path
  if (std::optional<std::string> id = request.Query("local_sandbox_id")) {
    EndpointPtr found;
    if (local_.boxes != nullptr) {
      found = BoxEndpoint::Find(*local_.boxes, *local_.servers, *id, ToLower(server));
    }
    if (found == nullptr) return Fail(ErrorCode::kNotFound, kNoSandbox);
    return found;
  }
  std::optional<std::string> lease = request.Query("instance_id");
  if (!lease || lease->empty()) return Fail(ErrorCode::kNotFound, "the URL has no instance_id");
  auto sandbox = sandboxes_.FindLease(*lease);
  if (!sandbox || !EqualsIgnoreCase((*sandbox)->server, server)) {
    return Fail(ErrorCode::kNotFound, kNoSandbox);
  }
  return std::make_shared<WorldEndpoint>(sandboxes_, protocol_, *std::move(sandbox));
}

std::optional<http::Response> Routes::RefuseTooMany(const Endpoint& endpoint) const {
  if (!admit_) return std::nullopt;
  const std::optional<int> wait_seconds = admit_(endpoint.account_id());
  if (!wait_seconds) return std::nullopt;
  rpc::JsonRpcError error{kTooManyRequestsCode, std::string(http::kTooManyRequests)};
  error.data = json::object{{"retry_after_seconds", *wait_seconds}};
  http::Response response = http::Json(429, rpc::JsonRpcFailure(nullptr, error));
  response.headers.Set("Retry-After", std::to_string(*wait_seconds));
  return response;
}

Task<http::Response> Routes::Post(http::Request& request) {
  if (!IsAllowed(origins_, request)) co_return RefuseOrigin(origins_, request);
  if (std::optional<http::Response> refusal = RefuseHead(request)) co_return *std::move(refusal);
  Result<EndpointPtr> endpoint = FindEndpoint(request);
  if (!endpoint) co_return ErrorResponse(404, JsonRpcCode::kNotFound, endpoint.error().message);
  if (auto refusal = RefuseTooMany(**endpoint)) co_return *std::move(refusal);
  std::string_view session = request.headers.Get("mcp-session-id");
  if (!session.empty() && !sessions_.IsLive((*endpoint)->key(), session)) {
    co_return ErrorResponse(404, JsonRpcCode::kNotFound, "Session not found; initialize again");
  }
  if (request.deferred_body != nullptr) {
    std::optional<http::Response> refusal = co_await LoadMessage(request, **endpoint);
    if (refusal) co_return *std::move(refusal);
  }
  auto body = ParseJson(request.body);
  if (!body)
    co_return ErrorResponse(400, JsonRpcCode::kParseError, "Parse error: " + body.error().message);
  if (json::array* batch = body->if_array()) {
    co_return co_await RespondToBatch(request, *std::move(endpoint), std::move(*batch));
  }
  ReceivedMessage incoming;
  incoming.message = rpc::ReadJsonRpc(std::move(*body));
  const JsonRpcMessage& message = incoming.message;
  if (message.kind == JsonRpcMessage::Kind::kInvalid) {
    co_return ErrorResponse(400, JsonRpcCode::kInvalidRequest,
                            "Invalid Request: " + message.problem, message.id);
  }
  if (Status agreed = CheckMirroredHeaders(request, message); !agreed) {
    co_return ErrorResponse(400, JsonRpcCode::kHeaderMismatch, agreed.error().message, message.id);
  }
  incoming.text = std::move(request.body);
  if (message.kind != JsonRpcMessage::Kind::kRequest) {
    co_await (*endpoint)->Notify(std::move(incoming), CallerFrom(request));
    co_return http::Empty(202);
  }
  co_return co_await RespondToMessage(request, *std::move(endpoint), std::move(incoming));
}

// The stream for what a server says unasked. Ours never does; the stream lives while the sandbox
// does, for clients that want one.
Task<http::Response> Routes::Get(http::Request& request) {
  if (!IsAllowed(origins_, request)) co_return RefuseOrigin(origins_, request);
  Result<EndpointPtr> endpoint = FindEndpoint(request);
  if (!endpoint) co_return ErrorResponse(404, JsonRpcCode::kNotFound, endpoint.error().message);
  std::string_view accept = request.headers.Get("accept");
  if (accept.find("text/event-stream") == std::string_view::npos) {
    http::Response response = ErrorResponse(405, JsonRpcCode::kInvalidRequest,
                                            "Method not allowed: POST JSON-RPC messages here");
    response.headers.Set("Allow", "POST, GET, DELETE");
    co_return response;
  }
  std::string_view session = request.headers.Get("mcp-session-id");
  if (!session.empty() && !sessions_.IsLive((*endpoint)->key(), session)) {
    co_return ErrorResponse(404, JsonRpcCode::kNotFound, "Session not found; initialize again");
  }
  co_return http::EventStream([this, open = *endpoint](http::BodyWriter& writer) {
    return KeepOpen(*event_sessions_, open, writer);
  });
}

Task<http::Response> Routes::Delete(http::Request& request) {
  Result<EndpointPtr> endpoint = FindEndpoint(request);
  if (!endpoint) co_return ErrorResponse(404, JsonRpcCode::kNotFound, endpoint.error().message);
  std::string_view session = request.headers.Get("mcp-session-id");
  if (session.empty())
    co_return ErrorResponse(400, JsonRpcCode::kInvalidRequest, "Mcp-Session-Id is missing");
  if (!sessions_.IsLive((*endpoint)->key(), session))
    co_return ErrorResponse(404, JsonRpcCode::kNotFound, "Session not found");
  sessions_.End(session);
  co_return http::Empty(200);
}

}  // namespace viv::mcp
