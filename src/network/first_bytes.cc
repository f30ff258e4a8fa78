// Tells protocols apart by the first byte, and parses HTTP. TLS is in first_bytes_tls.cc.

#include "network/first_bytes.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "network/address.h"
#include "network/first_bytes_tls.h"
#include "network/policy_entry.h"

namespace viv::network {
namespace {

using FirstBytesKind = FirstBytes::Kind;

constexpr char kTlsHandshakeRecord = 0x16;
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

FirstBytes FirstBytesOfKind(FirstBytesKind kind) {
  FirstBytes first_bytes;
  first_bytes.kind = kind;
  return first_bytes;
}

bool IsTokenChar(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool ContainsIgnoringCase(std::string_view text, std::string_view word) {
  auto same = [](char a, char b) { return a == b || (b >= 'A' && b <= 'Z' && a == b + 32); };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

// The host of "host[:port]" in a Host header or a request target, in lower case.
std::optional<std::string> HostOf(std::string_view authority) {
  std::string_view host = authority;
  std::size_t port_at = authority.rfind(':');
  if (authority.starts_with('[')) {
    std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, close - 1);
    if (host.find(':') == std::string_view::npos) return std::nullopt;
    port_at = close + 1 == authority.size() ? std::string_view::npos : close + 1;
    if (port_at != std::string_view::npos && authority[port_at] != ':') return std::nullopt;
  } else {
    host = authority.substr(0, port_at);
    if (host.find(':') != std::string_view::npos) return std::nullopt;
  }
  if (port_at != std::string_view::npos) {
    std::string_view port = authority.substr(port_at + 1);
    auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (port.size() > 5 || !std::all_of(port.begin(), port.end(), is_digit)) return std::nullopt;
  }
  if (auto address = ParseAddress(host)) return address->Text();
  if (!IsHostName(host)) return std::nullopt;
  return ToLower(WithoutTrailingDot(host));
}

struct RequestLine {
  std::string host;  // in the request target; empty: none
  bool is_http10 = false;
};

std::optional<std::string> HostOfTarget(std::string_view method, std::string_view target) {
  if (method == "CONNECT") return HostOf(target);
  if (target.starts_with('/')) return "";
  if (target == "*" && method == "OPTIONS") return "";
  std::size_t colon = target.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string scheme = ToLower(target.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  std::string_view rest = target.substr(colon + 3);
  return HostOf(rest.substr(0, rest.find_first_of("/?#")));
}

std::optional<RequestLine> ReadRequestLine(std::string_view line) {
  std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (!IsToken(method) || (version != "HTTP/1.1" && version != "HTTP/1.0")) return std::nullopt;
  if (target.empty() || target.find(' ') != std::string_view::npos ||
      std::any_of(target.begin(), target.end(), IsControl))
    return std::nullopt;
  auto host = HostOfTarget(method, target);
  if (!host) return std::nullopt;
  return RequestLine{*std::move(host), version == "HTTP/1.0"};
}

// The host of all header lines up to the empty line.
std::optional<std::string> ReadHeaders(std::string_view lines, const RequestLine& request) {
  std::optional<std::string> host;
  while (!lines.empty()) {
    std::size_t end = lines.find('\n');
    if (end == std::string_view::npos || end == 0 || lines[end - 1] != '\r') return std::nullopt;
    std::string_view line = lines.substr(0, end - 1);
    lines.remove_prefix(end + 1);
    if (line.empty()) break;
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return std::nullopt;
    std::string_view value = line.substr(colon + 1);
    if (std::any_of(value.begin(), value.end(), [](char c) { return c != '\t' && IsControl(c); }))
      return std::nullopt;
    if (!EqualsIgnoreCase(line.substr(0, colon), "Host")) continue;
    if (host) return std::nullopt;
    host = HostOf(Trim(value));
    if (!host) return std::nullopt;
  }
  if (!host && !request.is_http10) return std::nullopt;
  if (!host) return request.host;
  if (!request.host.empty() && request.host != *host) return std::nullopt;
  return host;
}

// A head ends at its first empty line. A lone LF ends a line as well, so that what another parser
// could take for the end is not skipped.
std::size_t HeadSize(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    std::string_view next = bytes.substr(at + 1, 2);
    if (next.starts_with('\n')) return at + 2;
    if (next == "\r\n") return at + 3;
  }
  return 0;
}

FirstBytes ReadHttp2(std::string_view bytes) {
  std::size_t common = std::min(bytes.size(), kHttp2Preface.size());
  if (bytes.substr(0, common) != kHttp2Preface.substr(0, common))
    return FirstBytesOfKind(FirstBytesKind::kMalformed);
  return FirstBytesOfKind(common < kHttp2Preface.size() ? FirstBytesKind::kNeedsMore
                                                        : FirstBytesKind::kHttp2);
}

FirstBytes ReadHttpHead(std::string_view bytes, std::string_view first_line) {
  FirstBytes first_bytes = FirstBytesOfKind(FirstBytesKind::kMalformed);
  if (!first_line.ends_with('\r')) return first_bytes;
  first_line.remove_suffix(1);
  auto request = ReadRequestLine(first_line);
  if (!request) return first_bytes;
  std::size_t size = HeadSize(bytes);
  if (size == 0) return FirstBytesOfKind(FirstBytesKind::kNeedsMore);
  std::size_t headers_at = first_line.size() + 2;
  auto host = ReadHeaders(bytes.substr(headers_at, size - headers_at), *request);
  if (!host) return first_bytes;
  first_bytes.kind = FirstBytesKind::kHttp;
  first_bytes.host = *std::move(host);
  return first_bytes;
}

// A line of text is HTTP if it claims to be, however malformed: some server may be less strict than
// we are. "GET" alone may be HTTP/0.9, which has no head.
bool LooksLikeHttp(std::string_view line) {
  return EqualsIgnoreCase(Trim(line).substr(0, 4), "GET ") || ContainsIgnoringCase(line, "HTTP/");
}

FirstBytes ReadText(std::string_view bytes) {
  std::size_t blank = bytes.find_first_not_of("\r\n");
  if (blank == std::string_view::npos) return FirstBytesOfKind(FirstBytesKind::kNeedsMore);
  std::string_view text = bytes.substr(blank);
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  std::string_view method = line.substr(0, line.find_first_of(" \t\r"));
  if (!method.empty() && !IsToken(method)) return FirstBytesOfKind(FirstBytesKind::kOther);
  auto odd = std::find_if(line.begin(), line.end(),
                          [](char c) { return c != '\t' && c != '\r' && IsControl(c); });
  if (odd != line.end()) {
    line = line.substr(0, static_cast<std::size_t>(odd - line.begin()));
    return FirstBytesOfKind(LooksLikeHttp(line) ? FirstBytesKind::kMalformed
                                                : FirstBytesKind::kOther);
  }
  if (end == std::string_view::npos) return FirstBytesOfKind(FirstBytesKind::kNeedsMore);
  if (!LooksLikeHttp(line)) return FirstBytesOfKind(FirstBytesKind::kOther);
  if (line.starts_with("PRI ")) return ReadHttp2(bytes);
  if (blank > 0) return FirstBytesOfKind(FirstBytesKind::kMalformed);
  return ReadHttpHead(bytes, line);
}

}  // namespace

FirstBytes ParseFirstBytes(std::string_view bytes) {
  if (bytes.empty()) return {};
  FirstBytes first_bytes;
  char first = bytes.front();
  if (first == kTlsHandshakeRecord)
    first_bytes = ParseTlsFirstBytes(bytes);
  else if (IsTokenChar(first) || first == ' ' || first == '\t' || first == '\r' || first == '\n')
    first_bytes = ReadText(bytes);
  else
    first_bytes.kind = FirstBytesKind::kOther;
  if (first_bytes.kind == FirstBytesKind::kNeedsMore && bytes.size() >= kFirstBytesMax)
    first_bytes.kind = FirstBytesKind::kMalformed;
  return first_bytes;
}

FirstBytes ParseFirstBytesAtEof(std::string_view bytes) {
  FirstBytes first_bytes = ParseFirstBytes(bytes);
  if (first_bytes.kind != FirstBytesKind::kNeedsMore) return first_bytes;
  // An unfinished line is not HTTP, unless it claims to be.
  bool tls = bytes.starts_with(kTlsHandshakeRecord);
  bool line = bytes.find('\n') == std::string_view::npos && !LooksLikeHttp(bytes);
  first_bytes.kind =
      !tls && (line || Trim(bytes).empty()) ? FirstBytesKind::kOther : FirstBytesKind::kMalformed;
  return first_bytes;
}

}  // namespace viv::network
