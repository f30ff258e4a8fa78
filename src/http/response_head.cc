#include "http/response_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/log.h"
#include "base/text.h"

namespace viv::http {
namespace {

bool IsTokenCharacter(char c) {
  bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsOurs(std::string_view name) {
  for (std::string_view ours :
       {"content-length", "transfer-encoding", "connection", "keep-alive", "date", "server"}) {
    if (EqualsIgnoreCase(name, ours)) return true;
  }
  return false;
}

}  // namespace

void AppendHead(std::string& out, const Response& response, const ResponseHead& head) {
  int status = response.status >= 100 && response.status <= 999 ? response.status : 500;
  out.append(head.http_1_1 ? "HTTP/1.1 " : "HTTP/1.0 ");
  out.append(fmt::format_int(status).c_str()).append(" ").append(ReasonPhrase(status));
  out.append("\r\nServer: vivarium\r\nDate: ").append(head.date).append("\r\n");
  for (const auto& [name, value] : response.headers) {
    if (IsOurs(name)) continue;
    if (!IsSafeHeader(name, value)) {
      log::Warn("http.header_dropped", {{"status", status}});
      continue;
    }
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (head.framing == Framing::kLength) {
    out.append("Content-Length: ").append(fmt::format_int(head.body_bytes).c_str()).append("\r\n");
  } else if (head.framing == Framing::kChunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  }
  if (!head.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (!head.http_1_1) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

bool IsSafeHeader(std::string_view name, std::string_view value) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter) &&
         value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "";
  }
}

bool StatusHasBody(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string HttpDate(std::int64_t unix_seconds) {
  // strftime would follow the locale.
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::time_t seconds = unix_seconds;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                     kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace viv::http
