#include "http/relay_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "http/response_writer.h"

namespace viv::http {

bool HasHeaderToken(const Headers& headers, std::string_view name, std::string_view token) {
  for (const auto& [key, value] : headers) {
    if (!EqualsIgnoreCase(key, name)) continue;
    for (std::string_view part : Split(value, ',')) {
      if (EqualsIgnoreCase(Trim(part), token)) return true;
    }
  }
  return false;
}

bool IsHopByHopHeader(const Headers& headers, std::string_view name) {
  for (std::string_view hop :
       {"connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
        "te", "trailer", "transfer-encoding", "upgrade"}) {
    if (EqualsIgnoreCase(name, hop)) return true;
  }
  return HasHeaderToken(headers, "connection", name);
}

namespace {

bool IsNotForwarded(const Request& request, const RelayOptions& options, std::string_view name) {
  auto is_name = [name](std::string_view dropped) { return EqualsIgnoreCase(dropped, name); };
  return is_name("host") || is_name("content-length") || is_name("expect") ||
         std::any_of(options.dropped.begin(), options.dropped.end(), is_name) ||
         IsHopByHopHeader(request.headers, name);
}

void AppendRelayed(std::string& out, std::string_view name, std::string_view value) {
  if (IsSafeHeader(name, value)) out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

RelayedBody BodyOf(const Request& request) {
  using Kind = RelayedBody::Kind;
  bool announced = request.headers.Has("content-length");
  if (request.body_stream == nullptr) {
    bool any = announced || !request.body.empty();
    return {any ? Kind::kLength : Kind::kNone, request.body.size()};
  }
  if (request.headers.Has("transfer-encoding")) return {Kind::kChunked, 0};
  if (!announced) return {};
  std::string_view text = request.headers.Get("content-length");
  std::uint64_t bytes = 0;  // well-formed, for the server has read it
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return {Kind::kLength, bytes};
}

bool WantsUpgrade(const Request& request) {
  return HasHeaderToken(request.headers, "connection", "upgrade") &&
         !request.headers.Get("upgrade").empty() && BodyOf(request).bytes == 0;
}

std::string RelayedRequestHead(const Request& request,
                               const RelayOptions& options,
                               RelayedBody body) {
  bool is_path = request.target.starts_with('/') || request.target == "*";
  std::string target = is_path ? request.target : request.path;
  if (!is_path && !request.query.empty()) target += "?" + request.query;
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, target);
  std::string_view host = request.headers.Get("host");
  AppendRelayed(head, "Host", options.host.empty() ? host : std::string_view(options.host));
  for (const auto& [name, value] : request.headers) {
    if (!IsNotForwarded(request, options, name)) AppendRelayed(head, name, value);
  }
  if (body.kind == RelayedBody::Kind::kLength) {
    head += fmt::format("Content-Length: {}\r\n", body.bytes);
  } else if (body.kind == RelayedBody::Kind::kChunked) {
    head += "Transfer-Encoding: chunked\r\n";
  }
  if (WantsUpgrade(request)) {
    head += "Connection: Upgrade\r\n";
    AppendRelayed(head, "Upgrade", request.headers.Get("upgrade"));
  } else {
    head += "Connection: close\r\n";
  }
  return head + "\r\n";
}

Headers RelayedResponseHeaders(const ResponseHead& head) {
  Headers headers;
  for (const auto& [name, value] : head.headers) {
    if (!IsHopByHopHeader(head.headers, name)) headers.Add(name, value);
  }
  return headers;
}

}  // namespace viv::http
