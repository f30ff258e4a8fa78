#include "dialects/e2b/traffic_errors.h"

#include "base/json.h"
#include "base/text.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

constexpr std::string_view kExposedHeaders =
    "Connect-Protocol-Version, Connect-Timeout-Ms, Connect-Content-Encoding, "
    "Connect-Accept-Encoding, Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, "
    "Content-Disposition, Content-Length, Content-Range";

// A person looks at it: a browser's navigation, not a script's fetch.
bool IsForPeople(const http::Request& request) {
  if (!request.headers.Get("user-agent").starts_with("Mozilla/")) return false;
  if (request.headers.Get("accept").find("application/json") != std::string_view::npos)
    return false;
  return !EqualsIgnoreCase(request.headers.Get("sec-fetch-mode"), "cors");
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

http::Response ErrorPage(int status, std::string_view title, std::string_view text) {
  http::Response response;
  response.status = status;
  response.headers.Add("Content-Type", "text/html; charset=utf-8");
  response.headers.Add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.body =
      "<!doctype html><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
      "<title>" +
      EscapeHtml(title) +
      "</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:20vh auto;"
      "padding:0 1em;color:#222}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}"
      "</style><h1>" +
      EscapeHtml(title) + "</h1><p>" + EscapeHtml(text) + "</p>\n";
  return response;
}

http::Response RenderTraffic(const http::Request& request,
                             json::object body,
                             std::string_view advice) {
  int status = static_cast<int>(body.at("code").as_int64());
  http::Response response = http::Json(status, WriteJson(body));
  if (IsForPeople(request))
    response = ErrorPage(status, View(body.at("message").as_string()), advice);
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
  std::string message = is_missing
                            ? "This sandbox takes no public traffic: the header "
                              "e2b-traffic-access-token is missing"
                            : "This sandbox takes no public traffic: the token in the header "
                              "e2b-traffic-access-token is wrong";
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

http::Response AnswerPreflight(const http::Request& request) {
  http::Response response = http::Empty(204);
  response.headers.Add("Access-Control-Allow-Origin", "*");
  response.headers.Add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
  // "*" would leave Authorization out, so what was asked for is named.
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
