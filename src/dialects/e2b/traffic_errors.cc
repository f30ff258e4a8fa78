#include "dialects/e2b/traffic_errors.h"

#include "accounts/budgets.h"
#include "base/json.h"
#include "base/text.h"
#include "dialects/e2b/errors.h"
#include "http/error_page.h"

namespace viv::e2b {
namespace {

constexpr std::string_view kExposedHeaders =
    "Connect-Protocol-Version, Connect-Timeout-Ms, Connect-Content-Encoding, "
    "Connect-Accept-Encoding, Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, "
    "Content-Disposition, Content-Length, Content-Range";

http::Response RenderTraffic(const http::Request& request,
                             json::object body,
                             std::string_view advice) {
  int status = static_cast<int>(body.at("code").as_int64());
  http::Response response = http::Json(status, WriteJson(body));
  if (http::IsBrowserNavigation(request))
    response = http::ErrorPage(status, View(body.at("message").as_string()), advice);
  response.headers.Add("Access-Control-Allow-Origin", "*");
  return response;
}

}  // namespace

http::Response BoxNotFound(const http::Request& request, const std::string& id) {
  std::string shown = Printable(id, 64);
  return RenderTraffic(
      request, {{"sandboxId", shown}, {"message", "The sandbox was not found"}, {"code", 502}},
      "Sandbox " + shown + " ended, is paused, or was never there. Connect to it or " +
          "create another one.");
}

http::Response DialFailed(const http::Request& request, const std::string& id, const Error& error) {
  if (error.code != ErrorCode::kLimitExceeded) return BoxNotFound(request, id);
  if (!accounts::ExceededBudget(error)) return Failure(503, error.message);  // such as a full disk
  return RenderTraffic(request, {{"sandboxId", id}, {"message", error.message}, {"code", 429}},
                       "Sandbox " + id + " is paused, and its account may run no more now.");
}

http::Response PortClosed(const http::Request& request, const std::string& id, std::uint16_t port) {
  return RenderTraffic(request,
                       {{"message", "The sandbox is running but port is not open"},
                        {"sandboxId", id},
                        {"port", port},
                        {"code", 502}},
                       "Nothing answers on port " + std::to_string(port) + " of sandbox " + id +
                           ". Start the service, or wait until it listens.");
}

http::Response TrafficTokenRefused(const http::Request& request,
                                   const std::string& id,
                                   bool is_missing) {
  // Clients compare these texts.
  std::string message = "Sandbox is secured with traffic access token. ";
  message += is_missing ? "Token header 'e2b-traffic-access-token' is missing"
                        : "Provided token in header 'e2b-traffic-access-token' is invalid";
  return RenderTraffic(request, {{"sandboxId", id}, {"message", message}, {"code", 403}},
                       "Send the trafficAccessToken that creating the sandbox gave.");
}

http::Response InternalRoute(const http::Request& request) {
  return RenderTraffic(
      request,
      {{"message", "This path belongs to the server and cannot be called from outside"},
       {"path", Printable(request.path)},
       {"code", 404}},
      "The server alone sets up its sandboxes.");
}

http::Response AgentTokenRefused(std::string message) {
  http::Response response = Failure(401, std::move(message));
  AllowAnyOrigin(response);
  return response;
}

bool IsPreflight(const http::Request& request) {
  return request.method == "OPTIONS" && request.headers.Has("access-control-request-method");
}

http::Response RenderPreflight(const http::Request& request) {
  http::Response response = http::Empty(204);
  response.headers.Add("Access-Control-Allow-Origin", "*");
  response.headers.Add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  // "*" does not include Authorization, so the requested headers are listed.
  std::string_view asked = request.headers.Get("access-control-request-headers");
  response.headers.Add("Access-Control-Allow-Headers", asked.empty() ? "*" : std::string(asked));
  response.headers.Add("Access-Control-Max-Age", "7200");
  return response;
}

void AllowAnyOrigin(http::Response& response) {
  if (response.headers.Has("access-control-allow-origin")) return;
  response.headers.Add("Access-Control-Allow-Origin", "*");
  response.headers.Add("Access-Control-Expose-Headers", std::string(kExposedHeaders));
}

}  // namespace viv::e2b
