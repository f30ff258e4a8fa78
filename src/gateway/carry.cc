#include "gateway/carry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "gateway/carriage.h"
#include "gateway/requested_host.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kLoggedPathBytesMax = 1024;
constexpr std::size_t kLoggedMethodBytesMax = 32;
constexpr int kAttemptsMax = 3;

using Judged = tl::expected<Destination, Refusal>;

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

// Where the request goes. Its host has to be the one that the connection was admitted for.
Judged JudgeRequest(const Route& route, RequestHead& head) {
  const Route::Facts& facts = route.facts();
  if (head.method == "CONNECT") {
    return Deny(403, "CONNECT is not served here: connect to the host itself");
  }
  // An answer to these repeats the request, and with it what must not be read.
  if (head.method == "TRACE" || head.method == "TRACK") {
    return Deny(403, head.method + " is not passed on");
  }
  if (!IsSoundTarget(head.target)) return Deny(400, "malformed request target");
  if (head.authority.empty() && facts.secure) head.authority = facts.host;
  std::optional<RequestedHost> asked = ReadRequestedHost(head.authority);
  if (!asked) return Deny(400, "the request names no host that can be read: send a Host header");
  bool elsewhere = asked->port && *asked->port != facts.port;
  if (facts.secure && (asked->host != facts.host || elsewhere)) {
    return Deny(421, "this connection is for " + facts.host + " only: open another one");
  }
  if (elsewhere || (!facts.secure && !route.Admits(asked->host))) {
    return Deny(403, asked->host +
                         " may not be asked for on this connection: resolve and connect to it, and "
                         "see that the sandbox's network rules allow it");
  }
  return Destination{asked->host, facts.port, facts.secure};
}

bool Expects100(const RequestHead& head) {
  return EqualsIgnoreCase(head.headers.Get("expect"), "100-continue");
}

// Reads what the credentials need of the body. A guest that waits for leave to send it gets it from
// us, and the origin is not asked for it again.
Task<Status> ReadBodyBegin(Carriage& carriage) {
  if (!carriage.head.has_body) {
    carriage.body_read = true;
    co_return Status();
  }
  if (Expects100(carriage.head)) {
    http::Headers kept;
    for (const auto& [name, value] : carriage.head.headers) {
      if (!EqualsIgnoreCase(name, "expect")) kept.Add(name, value);
    }
    carriage.head.headers = std::move(kept);
    AnswerHead go_on;
    go_on.status = 100;
    CO_RETURN_IF_ERROR(co_await carriage.guest->SendHead(std::move(go_on)));
  }
  // One that has just the size that is wanted is whole, which its end tells.
  while (!carriage.body_read && carriage.body_begin.size() <= kCreditedBodyMax) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await carriage.guest->ReadBody());
    carriage.CountOut(piece.size());
    carriage.body_read = piece.empty();
    carriage.body_begin += piece;
  }
  co_return Status();
}

// The answer that says why there is no other.
Task<void> Answer(Carriage& carriage, Refusal refusal) {
  carriage.record.status = refusal.status;
  carriage.record.verdict = refusal.status >= 500 ? "failed" : "refused";
  carriage.record.reason = refusal.message;
  AnswerHead answer;
  answer.status = refusal.status;
  answer.headers.Add("Content-Type", "text/plain; charset=utf-8");
  answer.headers.Add("Content-Length", std::to_string(refusal.message.size()));
  answer.has_body = carriage.guest->head().method != "HEAD" && !refusal.message.empty();
  answer.body_bytes = refusal.message.size();
  answer.body_is_near = true;
  bool has_body = answer.has_body;
  Status sent = co_await carriage.guest->SendHead(std::move(answer));
  if (sent && has_body) sent = co_await carriage.guest->SendBody(std::move(refusal.message));
  http::Headers no_trailers;
  if (sent) sent = co_await carriage.guest->Finish(std::move(no_trailers));
  if (!sent) carriage.guest->Abort();
}

Refusal CannotOpen(const Error& error, const std::string& host) {
  if (error.code == ErrorCode::kPermissionDenied) return {502, error.message};
  if (error.code == ErrorCode::kLimitExceeded) return {503, error.message};
  return {502, host + " cannot be reached: " + error.message};
}

// After a failure on the way; the guest is told if it can be.
Task<void> EndFailed(Carriage& carriage, Error error, std::string host) {
  bool guest_broke = carriage.guest_error() || carriage.guest_left();
  if (guest_broke) error = carriage.guest_error().value_or(Error{error.code, "the guest left"});
  carriage.record.verdict = "failed";
  carriage.record.reason = error.message;
  if (carriage.answer_begun() || carriage.guest_left()) {
    carriage.guest->Abort();
    co_return;
  }
  Refusal refusal{502, host + " did not answer: " + error.message};
  if (guest_broke && error.code != ErrorCode::kInvalidArgument) {
    carriage.guest->Abort();
    co_return;
  }
  if (error.code == ErrorCode::kInvalidArgument) {
    bool says_so = error.message.starts_with("malformed request");
    refusal = Refusal{400, says_so ? error.message : "malformed request: " + error.message};
  }
  co_await Answer(carriage, std::move(refusal));
}

// What the next attempt needs, if there shall be one. The last one gets a connection of its own.
bool PrepareAgain(const Carriage& carriage, int attempts, OriginNeed& need) {
  if (carriage.answer_begun() || carriage.guest_left() || carriage.guest_error()) return false;
  using Again = Carriage::Again;
  bool was_fresh = need.age == OriginNeed::Age::kFresh;
  bool last = attempts + 1 == kAttemptsMax;
  need.age = OriginNeed::Age::kFresh;
  if (carriage.again() == Again::kFresh) return !was_fresh;
  if (carriage.again() == Again::kNo || attempts == kAttemptsMax) return false;
  if (!last && !was_fresh) need.age = OriginNeed::Age::kAny;
  return true;
}

Task<void> Send(Carriage& carriage, Destination to) {
  OriginNeed need;
  if (!carriage.head.upgrade.empty()) need.version = OriginNeed::Version::kHttp1;
  for (int attempts = 1;; ++attempts) {
    std::string host = to.host;
    Result<OpenedOrigin> opened = co_await carriage.route->Open(std::move(host), need);
    if (!opened) {
      Refusal refusal = CannotOpen(opened.error(), to.host);
      co_return co_await Answer(carriage, std::move(refusal));
    }
    OpenedOrigin origin = *std::move(opened);
    Status done = co_await carriage.Run(std::move(origin));
    if (done) co_return;
    if (carriage.guest_left() && carriage.answer_whole()) co_return carriage.guest->Abort();
    if (PrepareAgain(carriage, attempts, need)) continue;
    Error error = done.error();
    std::string name = to.host;
    co_return co_await EndFailed(carriage, std::move(error), std::move(name));
  }
}

Task<void> CarryJudged(Carriage& carriage, std::shared_ptr<Credentials> credentials) {
  Judged to = JudgeRequest(*carriage.route, carriage.head);
  if (!to) {
    Refusal refusal = std::move(to).error();
    co_return co_await Answer(carriage, std::move(refusal));
  }
  carriage.record.name = to->host;
  bool whole = credentials->NeedsBody(carriage.head, *to) == Credentials::Body::kWhole;
  Status read;
  if (whole) read = co_await ReadBodyBegin(carriage);
  if (!read) {
    Error error = read.error();
    std::string name = to->host;
    co_return co_await EndFailed(carriage, std::move(error), std::move(name));
  }
  std::string_view body = std::string_view(carriage.body_begin).substr(0, kCreditedBodyMax);
  bool truncated = whole && !carriage.body_read;
  Destination destination = *to;
  tl::expected<Credited, Refusal> credited =
      co_await credentials->Apply(carriage.head, std::move(destination), body, truncated);
  if (!credited) {
    Refusal refusal = std::move(credited).error();
    if (!refusal.rule.empty()) carriage.record.rule = refusal.rule;
    co_return co_await Answer(carriage, std::move(refusal));
  }
  if (!credited->rule.empty()) carriage.record.rule = credited->rule;
  if (carriage.guest_left()) {
    Error error{ErrorCode::kUnavailable, "the guest left"};
    std::string name = to->host;
    co_return co_await EndFailed(carriage, std::move(error), std::move(name));
  }
  destination = *std::move(to);
  co_await Send(carriage, std::move(destination));
}

network::FlowRecord BeginRecord(const Route& route, const RequestHead& head) {
  network::FlowRecord record = route.Describe();  // of the connection
  record.bytes_out = record.bytes_in = 0;
  record.at_us = NowMicros();
  record.protocol = route.facts().secure ? "https" : "http";
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

void LogBroken(Route& route, const BrokenRequest& request) {
  RequestHead head;
  head.method = request.method;
  head.target = std::string(PathOfTarget(request.target));
  network::FlowRecord record = BeginRecord(route, head);
  if (route.facts().secure) record.name = route.facts().host;
  record.status = request.status;
  record.verdict = "refused";
  record.reason = request.message;
  route.Log(record);
}

Task<void> Carry(std::shared_ptr<Route> route,
                 std::shared_ptr<Credentials> credentials,
                 std::shared_ptr<GuestExchange> guest) {
  auto executor = co_await asio::this_coro::executor;
  auto carriage = std::make_shared<Carriage>(executor, route, guest);
  carriage->record = BeginRecord(*route, guest->head());
  carriage->CountOut(BytesOf(guest->head().headers) + guest->head().target.size() + 16);
  guest->on_gone = [weak = std::weak_ptr<Carriage>(carriage)] {
    if (auto strong = weak.lock()) strong->GuestLeft();
  };
  auto began = std::chrono::steady_clock::now();
  try {
    co_await CarryJudged(*carriage, credentials);
  } catch (const boost::system::system_error&) {  // whoever served the guest gave up
    carriage->record.verdict = "failed";
    carriage->record.reason = "it was broken off";
    guest->Abort();
  }
  guest->on_gone = nullptr;
  carriage->record.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::steady_clock::now() - began)
                                     .count();
  route->Log(carriage->record);
}

}  // namespace viv::gateway
