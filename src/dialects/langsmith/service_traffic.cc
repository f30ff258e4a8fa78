#include "dialects/langsmith/service_traffic.h"

#include <algorithm>

#include "base/text.h"
#include "dialects/langsmith/agent_call.h"
#include "dialects/langsmith/download_links.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/service_access.h"
#include "dialects/langsmith/service_address.h"
#include "dialects/langsmith/service_frames.h"
#include "dialects/langsmith/service_headers.h"
#include "http/error_page.h"

namespace viv::langsmith {
namespace {

// A program gets the vendor's error body, a person a page with what to do.
http::Response ServiceFailure(const http::Request& request,
                              int status,
                              std::string_view type,
                              std::string_view message,
                              std::string_view advice) {
  if (http::IsBrowserNavigation(request)) return http::ErrorPage(status, message, advice);
  return Failure(status, type, std::string(message));
}

http::Response ServiceGone(const http::Request& request) {
  return ServiceFailure(request, 404, "ResourceNotFound", "There is no such service",
                        "Its sandbox was deleted, or the address is mistyped.");
}

http::Response ServiceUnreachable(const http::Request& request, std::uint16_t port) {
  return ServiceFailure(request, 502, "ConnectionError", "Service is not reachable",
                        "Nothing answers on port " + std::to_string(port) +
                            " of the sandbox. Start the service, or wait until it listens.");
}

http::Response NotAdmitted(const http::Request& request, const Admission& admission) {
  if (admission.check == TokenCheck::kExpired && !admission.by_login) {
    return ServiceFailure(request, 401, "Unauthorized", "Service link has expired",
                          "Ask for a new link to this service.");
  }
  http::Response response = ServiceFailure(
      request, 401, "Unauthorized", "Authentication required",
      admission.by_login ? "Sign in with any name and, as the password, a key of its owner."
                         : "Open the link that was made for this service.");
  if (admission.by_login)
    response.headers.Add("WWW-Authenticate", R"(Basic realm="sandbox service", charset="UTF-8")");
  return response;
}

bool IsGetOrHead(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// Whether this is a path of the same service that no browser could take for another origin.
bool StaysWithin(std::string_view path) {
  if (!path.starts_with('/') || path.starts_with("//")) return false;
  for (char c : path)
    if (c <= ' ' || c > '~' || c == '\\') return false;
  std::optional<std::string> decoded = PercentDecode(path.substr(0, path.find_first_of("?#")));
  if (!decoded || decoded->find('\\') != std::string::npos) return false;
  for (std::string_view segment : Split(*decoded, '/'))
    if (segment == "..") return false;
  return true;
}

http::Response RedirectTo(std::string location) {
  http::Response response = http::Empty(302);
  response.headers.Add("Location", std::move(location));
  response.headers.Add("Cache-Control", "no-store");
  response.headers.Add("Referrer-Policy", "no-referrer");
  return response;
}

std::vector<std::string> OriginsOfFrames(const Context& context, const Service& service) {
  std::optional<Grant> grant = FindGrant(context, service);
  return grant ? grant->embed_origins.value_or(std::vector<std::string>())
               : std::vector<std::string>();
}

// Makes the token of the link the browser's cookie, for this service alone.
http::Response LogIn(const Context& context,
                     const http::Request& request,
                     const ServiceRoute& route) {
  if (!IsGetOrHead(request)) {
    http::Response response = Failure(405, "InvalidRequest", "Method Not Allowed");
    response.headers.Add("Allow", "GET, HEAD");
    return response;
  }
  std::string token = request.Query("token").value_or("");
  CheckedToken checked = CheckServiceToken(context, route.service, token);
  if (checked.check != TokenCheck::kGood) {
    Admission admission;
    admission.check = checked.check;
    return NotAdmitted(request, admission);
  }
  const std::string prefix = OuterPrefix(context, route);
  std::string next = request.Query("next").value_or("/");
  http::Response response = RedirectTo(prefix + (StaysWithin(next) ? next : "/"));
  std::string cookie = std::string(kServiceCookie) + '=' + token + "; Path=" + prefix +
                       "/; Max-Age=" + std::to_string(checked.seconds_left) + "; HttpOnly";
  const bool secure = IsClientSecure(context, request);
  const bool in_frames = !OriginsOfFrames(context, route.service).empty();
  // In a frame of another site's page the browser sends only a cookie with this attribute.
  cookie += secure && in_frames ? "; SameSite=None; Partitioned" : "; SameSite=Lax";
  if (secure) cookie += "; Secure";
  response.headers.Add("Set-Cookie", std::move(cookie));
  return response;
}

std::string GuestHost(std::string mask, std::uint16_t port) {
  constexpr std::string_view kMark = "${PORT}";
  if (std::size_t mark = mask.find(kMark); mark != std::string::npos)
    mask.replace(mark, kMark.size(), std::to_string(port));
  return mask;
}

http::RelayOptions OptionsFor(const boxes::BoxNetwork& network, std::uint16_t port) {
  http::RelayOptions options;
  options.host = GuestHost(network.mask_request_host, port);
  const std::vector<std::uint16_t>& tls = network.tls_ports;
  if (std::find(tls.begin(), tls.end(), port) != tls.end())
    options.transport = http::RelayOptions::Transport::kTls;
  return options;
}

Task<http::Response> PassToPort(Context& context,
                                http::Request& request,
                                ServiceRoute route,
                                std::string user_id) {
  const Service& service = route.service;
  auto box = context.boxes.Find(service.box_id);
  if (!box) co_return ServiceGone(request);
  if (auto refused = RefuseIfNotReady(**box, request)) {
    if (refused->status == 503 || !http::IsBrowserNavigation(request))
      co_return std::move(*refused);
    co_return ServiceUnreachable(request, service.port);
  }
  auto connection = co_await context.boxes.DialPort(service.box_id, service.port);
  if (!connection) {
    bool is_gone = connection.error().code == ErrorCode::kNotFound;
    co_return is_gone ? ServiceGone(request) : ServiceUnreachable(request, service.port);
  }
  const std::string prefix = OuterPrefix(context, route);
  RequestRewrite guest{.prefix = prefix,
                       .user_id = std::move(user_id),
                       .keep_keys = !CarriesOurKey(context, request)};
  ResponseRewrite back{.prefix = prefix, .origin = request.BaseUrl()};
  RewriteRequest(request, guest);
  http::RelayOptions options = OptionsFor((*box)->spec.network, service.port);
  auto answer = co_await context.relay(request, std::move(*connection), std::move(options));
  if (!answer) co_return ServiceUnreachable(request, service.port);
  RewriteResponse(*answer, back);
  const std::vector<std::string> origins = OriginsOfFrames(context, service);
  if (!origins.empty()) AllowFrames(*answer, origins);
  co_return std::move(*answer);
}

Task<http::Response> ServeService(Context& context, http::Request& request) {
  std::optional<ServiceRoute> route = ServiceRouteOf(context.domain, request);
  if (!route) co_return ServiceGone(request);
  std::string path = request.path.substr(route->prefix.size());
  if (path == kServiceLogin) co_return LogIn(context, request, *route);
  Admission admission = Admit(context, *route, request);
  if (admission.check != TokenCheck::kGood) co_return NotAdmitted(request, admission);
  const std::string query = request.query.empty() ? "" : '?' + request.query;
  // Without the trailing '/' the relative links of a page would leave the service.
  if (path.empty() && IsGetOrHead(request) && !IsUpgradeRequest(request))
    co_return RedirectTo(OuterPrefix(context, *route) + '/' + query);
  request.path = path.empty() ? "/" : std::move(path);
  request.target = request.path + query;
  co_return co_await PassToPort(context, request, *std::move(route), std::move(admission.user_id));
}

}  // namespace

bool IsServiceTraffic(std::string_view domain, const http::Request& request) {
  return request.path.starts_with(kServicePath) ||
         (!domain.empty() && IsServiceHost(domain, request.headers.Get("host")));
}

http::Handler ServiceTraffic(Context& context) {
  return [&context](http::Request& request) { return ServeService(context, request); };
}

http::RouteTable<Context> LinkRoutes() {
  static constexpr http::RouteEntry<Context> kLinkRoutes[] = {
      {"GET", "/_dl/{name}", FollowDownloadLink}};
  return kLinkRoutes;
}

}  // namespace viv::langsmith
