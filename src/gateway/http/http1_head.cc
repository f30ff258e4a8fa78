#include "gateway/http/http1_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "http/relay_head.h"

namespace viv::gateway {
namespace {

using http::Framing;

void AppendField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

// Protocols that carry further requests would bypass every check.
bool MayUpgradeTo(std::string_view protocol) {
  std::string wanted = ToLower(protocol);
  return !wanted.empty() && wanted.find(',') == std::string::npos && !wanted.starts_with("h2") &&
         !wanted.starts_with("http/") && !wanted.starts_with("tls/");
}

// "http://host/path": the host has to be the one that the Host header names.
Status ReadTarget(const http::Request& request, RequestHead& head) {
  bool is_path = request.target.starts_with('/') || request.target == "*";
  if (is_path) {
    head.target = request.target;
    return {};
  }
  std::size_t begin = request.target.find("://") + 3;  // the parser has checked it
  std::size_t end = std::min(request.target.find_first_of("/?", begin), request.target.size());
  std::string_view authority = std::string_view(request.target).substr(begin, end - begin);
  if (!EqualsIgnoreCase(authority, request.headers.Get("host"))) {
    return Fail(ErrorCode::kInvalidArgument, "the request target and Host name different hosts");
  }
  head.target = request.path;
  if (!request.query.empty()) head.target.append("?").append(request.query);
  return {};
}

std::optional<std::uint64_t> LengthOf(const http::Headers& headers) {
  std::string_view text = headers.Get("content-length");
  std::uint64_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

void AppendFraming(std::string& out, BodyFraming framing) {
  if (framing.kind == Framing::kLength) {
    AppendField(out, "Content-Length", fmt::format_int(framing.bytes).c_str());
  } else if (framing.kind == Framing::kChunked) {
    AppendField(out, "Transfer-Encoding", "chunked");
  }
}

// Whether the text is safe in a request line: a space would split it.
bool IsSafeWord(std::string_view text) {
  auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

bool IsFramingHeader(std::string_view name) {
  return EqualsIgnoreCase(name, "content-length") || EqualsIgnoreCase(name, "transfer-encoding") ||
         EqualsIgnoreCase(name, "connection");
}

}  // namespace

Result<RequestHead> ReadRequestHead(const http::Request& request) {
  RequestHead head;
  head.method = request.method;
  head.authority = std::string(request.headers.Get("host"));
  RETURN_IF_ERROR(ReadTarget(request, head));
  for (const auto& [name, value] : request.headers) {
    if (EqualsIgnoreCase(name, "host") || http::IsHopByHopHeader(request.headers, name)) continue;
    head.headers.Add(name, value);
  }
  bool chunked = request.headers.Has("transfer-encoding");
  if (!chunked) head.body_bytes = LengthOf(request.headers);
  head.has_body = chunked || head.body_bytes.value_or(0) > 0;
  std::string_view upgrade = request.headers.Get("upgrade");
  bool asks = http::HasHeaderToken(request.headers, "connection", "upgrade") && !head.has_body;
  if (asks && MayUpgradeTo(upgrade)) head.upgrade = std::string(upgrade);
  return head;
}

http::Headers ReadResponseHeaders(const http::ResponseHead& head) {
  http::Headers headers;
  for (const auto& [name, value] : head.headers) {
    bool kept = head.status == 101 && EqualsIgnoreCase(name, "upgrade");
    if (kept || !http::IsHopByHopHeader(head.headers, name)) headers.Add(name, value);
  }
  return headers;
}

BodyFraming FramingOfRequest(const RequestHead& head) {
  if (head.has_body && !head.body_bytes) return {Framing::kChunked, 0};
  if (head.has_body) return {Framing::kLength, *head.body_bytes};
  // An empty body is announced where one could be expected.
  bool usual = head.method == "POST" || head.method == "PUT" || head.method == "PATCH";
  if (head.body_bytes || usual) return {Framing::kLength, 0};
  return {Framing::kNoBody, 0};
}

Status AppendRequestHead(std::string& out, const RequestHead& head, BodyFraming framing) {
  bool safe = IsSafeWord(head.method) && IsSafeWord(head.target) && IsSafeWord(head.authority) &&
              (head.upgrade.empty() || http::IsSafeHeader("upgrade", head.upgrade));
  if (!safe) return Fail(ErrorCode::kInvalidArgument, "the request line cannot be sent");
  out.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
  AppendField(out, "Host", head.authority);
  for (const auto& [name, value] : head.headers) {
    if (IsFramingHeader(name)) continue;
    if (!http::IsSafeHeader(name, value)) {
      return Fail(ErrorCode::kInvalidArgument, "a header of the request cannot be sent");
    }
    AppendField(out, name, value);
  }
  AppendFraming(out, framing);
  if (!head.upgrade.empty()) {
    AppendField(out, "Connection", "Upgrade");
    AppendField(out, "Upgrade", head.upgrade);
  }
  out.append("\r\n");
  return {};
}

BodyFraming FramingOfResponse(const ResponseHead& head, const ResponseContext& context) {
  bool none = context.asked_for_head || !http::StatusHasBody(head.status);
  if (none) return {Framing::kNoBody, 0};
  if (!head.has_body) return {Framing::kLength, 0};
  if (head.body_bytes) return {Framing::kLength, *head.body_bytes};
  return {context.http_1_1 ? Framing::kChunked : Framing::kUntilEnd, 0};
}

void AppendResponseHead(std::string& out,
                        const ResponseHead& head,
                        BodyFraming framing,
                        const ResponseContext& context) {
  out.append(context.http_1_1 ? "HTTP/1.1 " : "HTTP/1.0 ");
  out.append(fmt::format_int(head.status).c_str()).append(" ");
  out.append(http::ReasonPhrase(head.status)).append("\r\n");
  // Without a body, Content-Length may still tell how long it would be.
  bool tells_length = framing.kind == Framing::kNoBody && head.status >= 200 && head.status != 204;
  for (const auto& [name, value] : head.headers) {
    bool told = tells_length && EqualsIgnoreCase(name, "content-length");
    if ((told || !IsFramingHeader(name)) && http::IsSafeHeader(name, value))
      AppendField(out, name, value);
  }
  AppendFraming(out, framing);
  if (head.status == 101) {
    AppendField(out, "Connection", "Upgrade");
  } else if (head.status >= 200 && !context.keep_alive) {
    AppendField(out, "Connection", "close");
  } else if (head.status >= 200 && !context.http_1_1) {
    AppendField(out, "Connection", "keep-alive");
  }
  out.append("\r\n");
}

void AppendLastChunk(std::string& out, const http::Headers& trailers) {
  out.append("0\r\n");
  for (const auto& [name, value] : trailers) {
    if (!IsFramingHeader(name) && http::IsSafeHeader(name, value)) AppendField(out, name, value);
  }
  out.append("\r\n");
}

}  // namespace viv::gateway
