#include "mcp/routes.h"

#include <chrono>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.h"
#include "http/sse.h"
#include "mcp/event_sessions.h"

namespace viv::mcp {
namespace {

using rpc::JsonRpcCode;
using rpc::JsonRpcMessage;

constexpr std::size_t kBatchMax = 100;
constexpr std::chrono::seconds kKeepalive{15};

http::Response FailureResponse(int status,
                               JsonRpcCode code,
                               std::string message,
                               const json::value& id = nullptr) {
  return http::Json(status, rpc::JsonRpcFailure(id, {code, std::move(message)}));
}

// Whether the Accept header lets us answer with `type`. A client that sends none takes anything.
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

bool IsJson(const http::Request& request) {
  std::string_view type = request.headers.Get("content-type");
  return EqualsIgnoreCase(Trim(type.substr(0, type.find(';'))), "application/json");
}

// The revision the client speaks: its header, or the one before there was a header.
std::string_view VersionOf(const http::Request& request) {
  std::string_view version = request.headers.Get("mcp-protocol-version");
  return version.empty() ? kBatchVersion : version;
}

http::Response RefuseVersion(std::string_view version) {
  rpc::JsonRpcError error{JsonRpcCode::kUnsupportedVersion,
                          "Unsupported protocol version: " + std::string(version)};
  error.data = json::object{{"supported", KnownVersions()}, {"requested", version}};
  return http::Json(400, rpc::JsonRpcFailure(nullptr, error));
}

// The modern revision repeats method and name in headers, for those who route by them; they must
// say the same as the body.
bool HeadersAgree(const http::Request& request, const JsonRpcMessage& message) {
  std::string_view method = request.headers.Get("mcp-method");
  std::string_view name = request.headers.Get("mcp-name");
  return (method.empty() || method == message.method) &&
         (name.empty() || name == FindString(message.params, "name"));
}

http::Response Events(std::vector<std::string> messages) {
  std::string body;
  for (std::string& message : messages) {
    http::ServerSentEvent event;
    event.event = "message";
    event.data = std::move(message);
    body += http::FormatEvent(event);
  }
  http::Response response;
  response.headers.Set("Content-Type", "text/event-stream");
  response.headers.Set("Cache-Control", "no-cache, no-transform");
  response.body = std::move(body);
  return response;
}

}  // namespace

std::string ServerUrl(const std::string& base_url, const store::Sandbox& sandbox) {
  return base_url + "/mcp/" + PercentEncode(sandbox.server) + "/?instance_id=" + sandbox.lease_id;
}

Routes::Routes(sandbox::Sandboxes& sandboxes,
               ProtocolOptions options,
               OriginPolicy origins,
               std::string secret)
    : sandboxes_(sandboxes),
      protocol_(sandboxes, options),
      origins_(std::move(origins)),
      sessions_(std::move(secret)),
      event_sessions_(std::make_unique<EventSessions>()) {}

Routes::~Routes() = default;

void Routes::AddTo(http::Router& router) {
  auto bind = [this](Task<http::Response> (Routes::*handler)(http::Request&)) {
    return [this, handler](http::Request& request) { return (this->*handler)(request); };
  };
  router.Add("POST", "/mcp/{server}", bind(&Routes::Post));
  router.Add("GET", "/mcp/{server}", bind(&Routes::Get));
  router.Add("DELETE", "/mcp/{server}", bind(&Routes::Delete));
  router.Add("GET", "/mcp/{server}/sse", bind(&Routes::OpenEvents));
  router.Add("POST", "/mcp/{server}/messages", bind(&Routes::PostEvent));
}

Result<store::SandboxPtr> Routes::FindSandbox(const http::Request& request) const {
  std::optional<std::string> lease = request.Query("instance_id");
  if (!lease || lease->empty()) return Fail(ErrorCode::kNotFound, "the URL has no instance_id");
  auto sandbox = sandboxes_.FindLease(*lease);
  if (!sandbox || !EqualsIgnoreCase((*sandbox)->server, request.Parameter("server"))) {
    return Fail(ErrorCode::kNotFound, "This sandbox does not exist or has been released");
  }
  return sandbox;
}

Task<http::Response> Routes::Post(http::Request& request) {
  if (!IsAllowed(origins_, request))
    co_return FailureResponse(403, JsonRpcCode::kInvalidRequest, "Origin or Host is not allowed");
  if (!IsJson(request))
    co_return FailureResponse(415, JsonRpcCode::kInvalidRequest,
                              "Content-Type must be application/json");
  if (!Accepts(request, "application/json") && !Accepts(request, "text/event-stream")) {
    co_return FailureResponse(406, JsonRpcCode::kInvalidRequest,
                              "Accept must allow application/json or text/event-stream");
  }
  if (!IsKnownVersion(VersionOf(request))) co_return RefuseVersion(VersionOf(request));
  auto sandbox = FindSandbox(request);
  if (!sandbox) co_return FailureResponse(404, JsonRpcCode::kNotFound, sandbox.error().message);
  std::string_view session = request.headers.Get("mcp-session-id");
  if (!session.empty() && !sessions_.IsLive((*sandbox)->lease_id, session)) {
    co_return FailureResponse(404, JsonRpcCode::kNotFound, "Session not found; initialize again");
  }
  auto body = ParseJson(request.body);
  if (!body)
    co_return FailureResponse(400, JsonRpcCode::kParseError,
                              "Parse error: " + body.error().message);
  if (json::array* batch = body->if_array()) {
    co_return co_await AnswerBatch(request, std::move(*sandbox), std::move(*batch));
  }
  JsonRpcMessage message = rpc::ReadJsonRpc(std::move(*body));
  if (message.kind == JsonRpcMessage::Kind::kInvalid) {
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest,
                              "Invalid Request: " + message.problem, message.id);
  }
  if (!HeadersAgree(request, message)) {
    co_return FailureResponse(400, JsonRpcCode::kHeaderMismatch,
                              "Mcp-Method and Mcp-Name must agree with the body", message.id);
  }
  if (message.kind != JsonRpcMessage::Kind::kRequest) {
    protocol_.Notify(**sandbox, message);
    co_return http::Empty(202);
  }
  co_return co_await AnswerOne(request, std::move(*sandbox), std::move(message));
}

Task<http::Response> Routes::AnswerOne(const http::Request& request,
                                       store::SandboxPtr sandbox,
                                       JsonRpcMessage message) {
  bool is_initialize = message.method == "initialize";
  std::string lease_id = sandbox->lease_id;
  Answer answer =
      co_await protocol_.Handle(std::move(sandbox), std::move(message), VersionOf(request));
  if (answer.cancelled) co_return http::Empty(202);
  bool as_events = !Accepts(request, "application/json") ||
                   (!answer.messages.empty() && Accepts(request, "text/event-stream"));
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
  if (is_initialize) response.headers.Set("Mcp-Session-Id", sessions_.Make(lease_id));
  co_return response;
}

Task<http::Response> Routes::AnswerBatch(const http::Request& request,
                                         store::SandboxPtr sandbox,
                                         json::array batch) {
  if (VersionOf(request) > kBatchVersion) {
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest,
                              "Invalid Request: this protocol revision has no batches");
  }
  if (batch.empty())
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest, "Invalid Request: an empty batch");
  if (batch.size() > kBatchMax)
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest,
                              "Invalid Request: more than 100 messages");
  std::vector<std::string> notices;
  std::vector<std::string> answers;
  for (json::value& item : batch) {
    JsonRpcMessage message = rpc::ReadJsonRpc(std::move(item));
    if (message.kind == JsonRpcMessage::Kind::kInvalid) {
      answers.push_back(rpc::JsonRpcFailure(
          message.id, {JsonRpcCode::kInvalidRequest, "Invalid Request: " + message.problem}));
    } else if (message.kind == JsonRpcMessage::Kind::kRequest && message.method == "initialize") {
      answers.push_back(rpc::JsonRpcFailure(
          message.id, {JsonRpcCode::kInvalidRequest, "initialize cannot be part of a batch"}));
    } else if (message.kind == JsonRpcMessage::Kind::kRequest) {
      Answer answer = co_await protocol_.Handle(sandbox, std::move(message), kBatchVersion);
      for (std::string& notice : answer.messages) notices.push_back(std::move(notice));
      if (!answer.cancelled) answers.push_back(std::move(answer.body));
    } else {
      protocol_.Notify(*sandbox, message);
    }
  }
  if (answers.empty()) co_return http::Empty(202);
  if (!Accepts(request, "application/json")) {
    for (std::string& answer : answers) notices.push_back(std::move(answer));
    co_return Events(std::move(notices));
  }
  std::string body = "[";
  for (const std::string& answer : answers) {
    if (body.size() > 1) body += ',';
    body += answer;
  }
  co_return http::Json(200, body + "]");
}

// The stream for what a server says unasked. Ours never does; the stream lives while the lease
// does, for clients that want one.
Task<http::Response> Routes::Get(http::Request& request) {
  if (!IsAllowed(origins_, request))
    co_return FailureResponse(403, JsonRpcCode::kInvalidRequest, "Origin or Host is not allowed");
  auto sandbox = FindSandbox(request);
  if (!sandbox) co_return FailureResponse(404, JsonRpcCode::kNotFound, sandbox.error().message);
  std::string_view accept = request.headers.Get("accept");
  if (accept.find("text/event-stream") == std::string_view::npos) {
    http::Response response = FailureResponse(405, JsonRpcCode::kInvalidRequest,
                                              "Method not allowed: POST JSON-RPC messages here");
    response.headers.Set("Allow", "POST, GET, DELETE");
    co_return response;
  }
  std::string_view session = request.headers.Get("mcp-session-id");
  std::string lease_id = (*sandbox)->lease_id;
  if (!session.empty() && !sessions_.IsLive(lease_id, session)) {
    co_return FailureResponse(404, JsonRpcCode::kNotFound, "Session not found; initialize again");
  }
  auto stream = [this, lease_id](http::BodyWriter& writer) -> Task<void> {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (sandboxes_.FindLease(lease_id)) {
      Status written = co_await writer.Write(std::string(http::kEventKeepalive));
      if (!written) co_return;
      timer.expires_after(kKeepalive);
      auto [error] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
      if (error) co_return;
    }
  };
  co_return http::EventStream(stream);
}

Task<http::Response> Routes::Delete(http::Request& request) {
  auto sandbox = FindSandbox(request);
  if (!sandbox) co_return FailureResponse(404, JsonRpcCode::kNotFound, sandbox.error().message);
  std::string_view session = request.headers.Get("mcp-session-id");
  if (session.empty())
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest, "Mcp-Session-Id is missing");
  if (!sessions_.IsLive((*sandbox)->lease_id, session))
    co_return FailureResponse(404, JsonRpcCode::kNotFound, "Session not found");
  sessions_.End(session);
  co_return http::Empty(200);
}

Task<http::Response> Routes::OpenEvents(http::Request& request) {
  if (!IsAllowed(origins_, request))
    co_return FailureResponse(403, JsonRpcCode::kInvalidRequest, "Origin or Host is not allowed");
  auto sandbox = FindSandbox(request);
  if (!sandbox) co_return FailureResponse(404, JsonRpcCode::kNotFound, sandbox.error().message);
  std::string lease_id = (*sandbox)->lease_id;
  // The request's own path decides the endpoint's, so that a prefix in front of ours stays.
  std::string endpoint = request.path.substr(0, request.path.rfind("/sse")) +
                         "/messages?instance_id=" + lease_id + "&session_id=";
  auto stream = [this, lease_id, endpoint](http::BodyWriter& writer) -> Task<void> {
    EventSessions::Lease session = event_sessions_->Open(co_await asio::this_coro::executor);
    http::ServerSentEvent first;
    first.event = "endpoint";
    first.data = endpoint + session.id();
    Status written = co_await writer.Write(http::FormatEvent(first));
    while (written && sandboxes_.FindLease(lease_id)) {
      std::vector<std::string> messages = co_await session.Wait(kKeepalive);
      std::string piece =
          messages.empty() ? std::string(http::kEventKeepalive) : Events(std::move(messages)).body;
      written = co_await writer.Write(std::move(piece));
    }
  };
  co_return http::EventStream(stream);
}

Task<http::Response> Routes::PostEvent(http::Request& request) {
  if (!IsAllowed(origins_, request))
    co_return FailureResponse(403, JsonRpcCode::kInvalidRequest, "Origin or Host is not allowed");
  auto sandbox = FindSandbox(request);
  if (!sandbox) co_return FailureResponse(404, JsonRpcCode::kNotFound, sandbox.error().message);
  std::string session_id = request.Query("session_id").value_or("");
  if (!event_sessions_->Has(session_id))
    co_return FailureResponse(404, JsonRpcCode::kNotFound, "Could not find session");
  auto body = ParseJson(request.body);
  if (!body)
    co_return FailureResponse(400, JsonRpcCode::kParseError,
                              "Parse error: " + body.error().message);
  JsonRpcMessage message = rpc::ReadJsonRpc(std::move(*body));
  if (message.kind == JsonRpcMessage::Kind::kInvalid) {
    co_return FailureResponse(400, JsonRpcCode::kInvalidRequest,
                              "Invalid Request: " + message.problem, message.id);
  }
  if (message.kind == JsonRpcMessage::Kind::kRequest) {
    Answer answer =
        co_await protocol_.Handle(std::move(*sandbox), std::move(message), kBatchVersion);
    for (std::string& notice : answer.messages)
      event_sessions_->Send(session_id, std::move(notice));
    if (!answer.cancelled) event_sessions_->Send(session_id, std::move(answer.body));
  } else {
    protocol_.Notify(**sandbox, message);
  }
  co_return http::Text(202, "Accepted");
}

}  // namespace viv::mcp
