#include "gateway/forward_request.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "gateway/proxied_request.h"
#include "gateway/requested_host.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kLoggedPathBytesMax = 1024;
constexpr std::size_t kLoggedMethodBytesMax = 32;
constexpr int kAttemptsMax = 3;

using DestinationOrRefusal = tl::expected<Destination, Refusal>;

tl::unexpected<Refusal> Deny(int status, std::string message) {
  return tl::unexpected<Refusal>(Refusal{status, std::move(message)});
}

bool IsSoundTarget(std::string_view target) {
  if (target != "*" && !target.starts_with('/')) return false;
  for (char c : target) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '#') return false;
  }
  return true;
}

// Decides where the request goes. Its host has to be the one for which the connection was allowed.
DestinationOrRefusal DecideDestination(const InterceptedConnection& connection, RequestHead& head) {
  const InterceptedConnection::Info& info = connection.info();
  if (head.method == "CONNECT") {
    return Deny(403, "CONNECT is not served here: connect to the host itself");
  }
  // The response to these repeats the request with its credentials, which the guest must not see.
  if (head.method == "TRACE" || head.method == "TRACK") {
    return Deny(403, head.method + " is not passed on");
  }
  if (!IsSoundTarget(head.target)) return Deny(400, "malformed request target");
  if (head.authority.empty() && info.secure) head.authority = info.host;
  std::optional<RequestedHost> asked = ReadRequestedHost(head.authority);
  if (!asked) return Deny(400, "the request names no host that can be read: send a Host header");
  bool elsewhere = asked->port && *asked->port != info.port;
  if (info.secure && (asked->host != info.host || elsewhere)) {
    return Deny(421, "this connection is for " + info.host + " only: open another one");
  }
  if (elsewhere || (!info.secure && !connection.AllowsHost(asked->host))) {
    return Deny(403, asked->host +
                         " may not be asked for on this connection: resolve and connect to it, and "
                         "see that the sandbox's network rules allow it");
  }
  return Destination{asked->host, info.port, info.secure};
}

bool Expects100(const RequestHead& head) {
  return EqualsIgnoreCase(head.headers.Get("expect"), "100-continue");
}

// Reads the body as far as the credentials need it. A guest that expects 100-continue gets it from
// us, and the origin is not asked for it again.
Task<Status> ReadBodyForCredentials(ProxiedRequest& proxied) {
  if (!proxied.head.has_body) {
    proxied.body_complete = true;
    co_return Status();
  }
  if (Expects100(proxied.head)) {
    http::Headers kept;
    for (const auto& [name, value] : proxied.head.headers) {
      if (!EqualsIgnoreCase(name, "expect")) kept.Add(name, value);
    }
    proxied.head.headers = std::move(kept);
    ResponseHead go_on;
    go_on.status = 100;
    CO_RETURN_IF_ERROR(co_await proxied.guest->SendHead(std::move(go_on)));
  }
  // A body of exactly the maximum size is complete, which only its end shows.
  while (!proxied.body_complete && proxied.buffered_body.size() <= kCredentialsBodyMax) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await proxied.guest->ReadBody());
    proxied.CountOut(piece.size());
    proxied.body_complete = piece.empty();
    proxied.buffered_body += piece;
  }
  co_return Status();
}

// Sends the response that explains why there is no other.
Task<void> SendRefusal(ProxiedRequest& proxied, Refusal refusal) {
  proxied.record.status = refusal.status;
  proxied.record.verdict = refusal.status >= 500 ? "failed" : "refused";
  proxied.record.reason = refusal.message;
  ResponseHead response;
  response.status = refusal.status;
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.headers.Add("Content-Length", std::to_string(refusal.message.size()));
  response.has_body = proxied.guest->head().method != "HEAD" && !refusal.message.empty();
  response.body_bytes = refusal.message.size();
  response.body_is_ready = true;
  bool has_body = response.has_body;
  Status sent = co_await proxied.guest->SendHead(std::move(response));
  if (sent && has_body) sent = co_await proxied.guest->SendBody(std::move(refusal.message));
  http::Headers no_trailers;
  if (sent) sent = co_await proxied.guest->Finish(std::move(no_trailers));
  if (!sent) proxied.guest->Abort();
}

Refusal RefusalForOpenError(const Error& error, const std::string& host) {
  if (error.code == ErrorCode::kPermissionDenied) return {502, error.message};
  if (error.code == ErrorCode::kLimitExceeded) return {503, error.message};
  return {502, host + " cannot be reached: " + error.message};
}

// Handles a failure after the request was sent; tells the guest if that is still possible.
Task<void> FailRequest(ProxiedRequest& proxied, Error error, std::string host) {
  bool guest_broke = proxied.guest_error() || proxied.guest_gone();
  if (guest_broke) error = proxied.guest_error().value_or(Error{error.code, "the guest left"});
  proxied.record.verdict = "failed";
  proxied.record.reason = error.message;
  if (proxied.response_started() || proxied.guest_gone()) {
    proxied.guest->Abort();
    co_return;
  }
  Refusal refusal{502, host + " did not answer: " + error.message};
  if (guest_broke && error.code != ErrorCode::kInvalidArgument) {
    proxied.guest->Abort();
    co_return;
  }
  if (error.code == ErrorCode::kInvalidArgument) {
    bool says_so = error.message.starts_with("malformed request");
    refusal = Refusal{400, says_so ? error.message : "malformed request: " + error.message};
  }
  co_await SendRefusal(proxied, std::move(refusal));
}

// Decides whether there is another attempt, and what it requires. The last one gets a new
// connection.
bool PrepareRetry(const ProxiedRequest& proxied, int attempts, OriginRequirements& requirements) {
  if (proxied.response_started() || proxied.guest_gone() || proxied.guest_error()) return false;
  using Retry = ProxiedRequest::Retry;
  bool was_fresh = requirements.freshness == OriginRequirements::Freshness::kFresh;
  bool last = attempts + 1 == kAttemptsMax;
  requirements.freshness = OriginRequirements::Freshness::kFresh;
  if (proxied.retry() == Retry::kOnNewConnection) return !was_fresh;
  if (proxied.retry() == Retry::kNo || attempts == kAttemptsMax) return false;
  if (!last && !was_fresh) requirements.freshness = OriginRequirements::Freshness::kAny;
  return true;
}

Task<void> SendWithRetries(ProxiedRequest& proxied, Destination to) {
  OriginRequirements requirements;
  if (!proxied.head.upgrade.empty()) requirements.version = OriginRequirements::Version::kHttp1;
  for (int attempts = 1;; ++attempts) {
    std::string host = to.host;
    Result<OpenedOrigin> opened =
        co_await proxied.connection->OpenOrigin(std::move(host), requirements);
    if (!opened) {
      Refusal refusal = RefusalForOpenError(opened.error(), to.host);
      co_return co_await SendRefusal(proxied, std::move(refusal));
    }
    OpenedOrigin origin = *std::move(opened);
    Status done = co_await proxied.Run(std::move(origin));
    if (done) co_return;
    if (proxied.guest_gone() && proxied.response_complete()) co_return proxied.guest->Abort();
    if (PrepareRetry(proxied, attempts, requirements)) continue;
    Error error = done.error();
    std::string name = to.host;
    co_return co_await FailRequest(proxied, std::move(error), std::move(name));
  }
}

Task<void> ForwardWithCredentials(ProxiedRequest& proxied,
                                  std::shared_ptr<Credentials> credentials) {
  DestinationOrRefusal to = DecideDestination(*proxied.connection, proxied.head);
  if (!to) {
    Refusal refusal = std::move(to).error();
    co_return co_await SendRefusal(proxied, std::move(refusal));
  }
  proxied.record.name = to->host;
  bool whole = credentials->NeedsBody(proxied.head, *to) == Credentials::Body::kWhole;
  Status read;
  if (whole) read = co_await ReadBodyForCredentials(proxied);
  if (!read) {
    Error error = read.error();
    std::string name = to->host;
    co_return co_await FailRequest(proxied, std::move(error), std::move(name));
  }
  std::string_view body = std::string_view(proxied.buffered_body).substr(0, kCredentialsBodyMax);
  bool truncated = whole && !proxied.body_complete;
  Destination destination = *to;
  tl::expected<AppliedCredentials, Refusal> applied =
      co_await credentials->Apply(proxied.head, std::move(destination), body, truncated);
  if (!applied) {
    Refusal refusal = std::move(applied).error();
    if (!refusal.rule.empty()) proxied.record.rule = refusal.rule;
    co_return co_await SendRefusal(proxied, std::move(refusal));
  }
  if (!applied->rule.empty()) proxied.record.rule = applied->rule;
  if (proxied.guest_gone()) {
    Error error{ErrorCode::kUnavailable, "the guest left"};
    std::string name = to->host;
    co_return co_await FailRequest(proxied, std::move(error), std::move(name));
  }
  destination = *std::move(to);
  co_await SendWithRetries(proxied, std::move(destination));
}

network::FlowRecord BeginRecord(const InterceptedConnection& connection, const RequestHead& head) {
  network::FlowRecord record = connection.Describe();  // that of the connection
  record.bytes_out = record.bytes_in = 0;
  record.at_us = NowMicros();
  record.protocol = connection.info().secure ? "https" : "http";
  record.method = head.method.substr(0, kLoggedMethodBytesMax);
  record.path = std::string(head.path().substr(0, kLoggedPathBytesMax));
  record.verdict = "allowed";
  return record;
}

// Of "http://user@host/path?query" the path alone.
std::string_view PathOfTarget(std::string_view target) {
  if (!target.starts_with('/')) {
    std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) return {};
    target.remove_prefix(std::min(target.find('/', scheme + 3), target.size()));
  }
  return target.substr(0, target.find_first_of("?#"));
}

}  // namespace

void LogMalformedRequest(InterceptedConnection& connection, const MalformedRequest& request) {
  RequestHead head;
  head.method = request.method;
  head.target = std::string(PathOfTarget(request.target));
  network::FlowRecord record = BeginRecord(connection, head);
  if (connection.info().secure) record.name = connection.info().host;
  record.status = request.status;
  record.verdict = "refused";
  record.reason = request.message;
  connection.Log(record);
}

Task<void> ForwardRequest(std::shared_ptr<InterceptedConnection> connection,
                          std::shared_ptr<Credentials> credentials,
                          std::shared_ptr<GuestExchange> guest) {
  auto executor = co_await asio::this_coro::executor;
  auto proxied = std::make_shared<ProxiedRequest>(executor, connection, guest);
  proxied->record = BeginRecord(*connection, guest->head());
  proxied->CountOut(BytesOf(guest->head().headers) + guest->head().target.size() + 16);
  guest->on_gone = [weak = std::weak_ptr<ProxiedRequest>(proxied)] {
    if (auto strong = weak.lock()) strong->OnGuestGone();
  };
  auto began = std::chrono::steady_clock::now();
  try {
    co_await ForwardWithCredentials(*proxied, credentials);
  } catch (const boost::system::system_error&) {  // the guest's connection was given up
    proxied->record.verdict = "failed";
    proxied->record.reason = "it was broken off";
    guest->Abort();
  }
  guest->on_gone = nullptr;
  proxied->record.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(
                                    std::chrono::steady_clock::now() - began)
                                    .count();
  connection->Log(proxied->record);
}

}  // namespace viv::gateway
