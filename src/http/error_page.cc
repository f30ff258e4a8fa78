#include "http/error_page.h"

#include <string>

#include "base/text.h"

namespace viv::http {
namespace {

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

}  // namespace

bool IsBrowserNavigation(const Request& request) {
  if (!request.headers.Get("user-agent").starts_with("Mozilla/")) return false;
  if (request.headers.Get("accept").find("application/json") != std::string_view::npos)
    return false;
  return !EqualsIgnoreCase(request.headers.Get("sec-fetch-mode"), "cors");
}

Response ErrorPage(int status, std::string_view title, std::string_view text) {
  Response response;
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

}  // namespace viv::http
