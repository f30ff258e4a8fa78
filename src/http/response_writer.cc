#include "http/response_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/log.h"
#include "base/text.h"

namespace viv::http {
namespace {

bool IsTokenCharacter(char c) {
  bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

int SendableStatus(int status) {
  return status >= 100 && status <= 999 ? status : 500;
}

void AppendStatusLine(std::string& out, int status, std::string_view version) {
  out.append(version).append(" ").append(fmt::format_int(status).c_str()).append(" ");
  out.append(ReasonPhrase(status)).append("\r\n");
}

void AppendHeader(std::string& out, const std::pair<std::string, std::string>& header, int status) {
  if (!IsSafeHeader(header.first, header.second)) {
    log::Warn("http.header_dropped", {{"status", status}});
    return;
  }
  out.append(header.first).append(": ").append(header.second).append("\r\n");
}

bool IsOurs(std::string_view name) {
  for (std::string_view ours :
       {"content-length", "transfer-encoding", "connection", "keep-alive", "date", "server"}) {
    if (EqualsIgnoreCase(name, ours)) return true;
  }
  return false;
}

}  // namespace

void AppendHead(std::string& out, const Response& response, const HeadOptions& head) {
  int status = SendableStatus(response.status);
  AppendStatusLine(out, status, head.http_1_1 ? "HTTP/1.1" : "HTTP/1.0");
  out.append("Server: vivarium\r\nDate: ").append(head.date).append("\r\n");
  for (const auto& header : response.headers) {
    if (!IsOurs(header.first)) AppendHeader(out, header, status);
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

void AppendVerbatimHead(std::string& out, const Response& response) {
  int status = SendableStatus(response.status);
  AppendStatusLine(out, status, "HTTP/1.1");
  for (const auto& header : response.headers) AppendHeader(out, header, status);
  out.append("\r\n");
}

std::optional<std::uint64_t> PromisedLength(const Response& response) {
  std::string_view text = response.headers.Get("content-length");
  std::uint64_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
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
    case 103:
      return "Early Hints";
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
    case 416:
      return "Range Not Satisfiable";
    case 421:
      return "Misdirected Request";
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
