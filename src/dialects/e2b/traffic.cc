#include "dialects/e2b/traffic.h"

#include <algorithm>
#include <array>

#include "base/ids.h"
#include "base/text.h"
#include "dialects/e2b/destination.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_config.h"
#include "dialects/e2b/shapes.h"
#include "dialects/e2b/signature.h"
#include "dialects/e2b/traffic_errors.h"
#include "http/key_headers.h"

namespace viv::e2b {
namespace {

constexpr std::string_view kDialectPrefix = "/e2b";
constexpr std::string_view kTrafficToken = "e2b-traffic-access-token";
constexpr std::string_view kAgentTokenHeader = "x-access-token";
constexpr std::string_view kUnauthorized =
    "unauthorized access, please provide a valid access token or method signing if supported";

// What only the server itself asks an agent for.
constexpr std::array<std::string_view, 9> kInternalPaths = {"init",     "logs",     "freeze",
                                                            "unfreeze", "collapse", "fsfreeze",
                                                            "fsthaw",   "activity", "dataplane"};

// In any spelling: an escape, a double slash or "./" must not give access to "/init".
bool IsInternalPath(std::string_view path) {
  std::optional<std::string> decoded = PercentDecode(path);
  if (!decoded) return true;
  bool is_first = true;
  for (std::string_view segment : Split(*decoded, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") return true;
    std::string lower = ToLower(segment);
    if (is_first &&
        std::find(kInternalPaths.begin(), kInternalPaths.end(), lower) != kInternalPaths.end()) {
      return true;
    }
    is_first = false;
  }
  return false;
}

// A client that was given ".../e2b" as the address writes it before every path.
void DropPrefix(http::Request& request) {
  bool has_prefix =
      request.path.starts_with(kDialectPrefix) &&
      (request.path.size() == kDialectPrefix.size() || request.path[kDialectPrefix.size()] == '/');
  if (!has_prefix) return;
  request.path.erase(0, kDialectPrefix.size());
  if (request.path.empty()) request.path = "/";
  request.target = request.path;
  if (!request.query.empty()) request.target += '?' + request.query;
}

http::Response TooManySearches() {
  http::Response response =
      Failure(429, "too many links without a sandbox's name are looked up: try again");
  response.headers.Set("Retry-After", "1");
  AllowAnyOrigin(response);
  return response;
}

// A client may send its key with every request: it is not forwarded.
std::vector<std::string> KeysOfRequest(const Context& context, const http::Request& request) {
  return http::HeadersWithKeys(request, [&context](std::string_view text) {
    return context.accounts.Authenticate(text).has_value();
  });
}

// The agent checks its callers itself; a paused box is resumed only for a caller that the agent
// would accept.
std::optional<http::Response> RefuseToWake(const Context& context,
                                           const http::Request& request,
                                           const std::string& id) {
  std::string token = context.boxes.AgentToken(id);
  if (request.headers.Has("x-access-token")) {
    if (EqualsInConstantTime(request.headers.Get("x-access-token"), token)) return std::nullopt;
    return AgentTokenRefused(std::string(kUnauthorized));
  }
  std::optional<FileLink> link = FileLinkOf(request);
  if (link && IsSignedWith(*link, token)) {
    if (!IsExpired(*link, context.clock())) return std::nullopt;
    return AgentTokenRefused("signature is already expired");
  }
  // Anybody may ask whether the box runs; it does not.
  if (request.path == "/health") return BoxNotFound(request, id);
  return AgentTokenRefused(link ? "invalid signature" : std::string(kUnauthorized));
}

bool MayWake(const boxes::Box& box) {
  return box.state == boxes::BoxState::kPaused && box.spec.wake != boxes::WakeOnTraffic::kNever;
}

Task<http::Response> ToAgent(Context& context, http::Request& request, boxes::BoxPtr box) {
  if (IsInternalPath(request.path)) co_return InternalRoute(request);
  if (IsPreflight(request)) co_return RenderPreflight(request);
  if (!IsRunning(*box)) {
    if (!MayWake(*box)) co_return BoxNotFound(request, box->id);
    if (auto refused = RefuseToWake(context, request, box->id)) co_return std::move(*refused);
  }
  auto connection = co_await context.boxes.DialAgent(box->id);
  if (!connection) co_return DialFailed(request, box->id, connection.error());
  http::RelayOptions options;
  options.dropped = KeysOfRequest(context, request);
  auto answer = co_await context.relay(request, std::move(*connection), std::move(options));
  if (!answer) co_return BoxNotFound(request, box->id);
  AllowAnyOrigin(*answer);
  co_return std::move(*answer);
}

Task<http::Response> ToPort(Context& context,
                            http::Request& request,
                            boxes::BoxPtr box,
                            std::uint16_t port) {
  const boxes::BoxNetwork& network = box->spec.network;
  if (!network.public_traffic) {
    std::string_view given = request.headers.Get(kTrafficToken);
    if (given.empty() || !EqualsInConstantTime(given, context.boxes.TrafficToken(box->id)))
      co_return TrafficTokenRefused(request, box->id, given.empty());
  }
  if (!IsRunning(*box) && !MayWake(*box)) co_return BoxNotFound(request, box->id);
  auto connection = co_await context.boxes.DialPort(box->id, port);
  if (!connection) {
    bool is_closed = connection.error().code == ErrorCode::kUnavailable;
    if (is_closed) co_return PortClosed(request, box->id, port);
    co_return DialFailed(request, box->id, connection.error());
  }
  http::RelayOptions options;
  options.host = MaskedHost(network.mask_request_host, port);
  options.dropped = KeysOfRequest(context, request);
  options.dropped.emplace_back(kTrafficToken);  // ours; the guest does not get it
  if (EqualsInConstantTime(request.headers.Get(kAgentTokenHeader),
                           context.boxes.AgentToken(box->id)))
    options.dropped.emplace_back(kAgentTokenHeader);
  const std::vector<std::uint16_t>& tls = network.tls_ports;
  if (std::find(tls.begin(), tls.end(), port) != tls.end())
    options.transport = http::RelayOptions::Transport::kTls;
  auto answer = co_await context.relay(request, std::move(*connection), std::move(options));
  if (!answer) co_return PortClosed(request, box->id, port);
  co_return std::move(*answer);
}

Task<http::Response> ServeTraffic(Context& context, http::Request& request) {
  auto found = DestinationOf(request);
  if (!found) co_return RenderError(found.error());
  Destination destination;
  if (*found) {
    destination = std::move(**found);
    if (destination.by == Destination::By::kHeader) DropPrefix(request);
  } else {
    std::optional<FileLink> link = FileLinkOf(request);
    LinkSearch::Found signer;
    if (link) signer = context.links.Find(context.boxes, *link, context.clock());
    if (signer.is_busy) co_return TooManySearches();
    destination.box_id = std::move(signer.box_id);
    if (destination.box_id.empty()) co_return AgentTokenRefused("invalid signature");
    destination.port = kAgentPort;
    DropPrefix(request);
  }
  auto box = context.boxes.Find(destination.box_id);
  if (!box) {
    // The preflight of a request that will fail succeeds, so that the page can read the error.
    if (IsPreflight(request)) co_return RenderPreflight(request);
    co_return BoxNotFound(request, destination.box_id);
  }
  if (destination.port == kAgentPort) co_return co_await ToAgent(context, request, *box);
  co_return co_await ToPort(context, request, *box, destination.port);
}

}  // namespace

bool IsTraffic(const http::Request& request) {
  auto destination = DestinationOf(request);
  return !destination || *destination || FileLinkOf(request);
}

http::Handler Traffic(Context& context) {
  return [&context](http::Request& request) { return ServeTraffic(context, request); };
}

}  // namespace viv::e2b
