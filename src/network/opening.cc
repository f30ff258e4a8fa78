// What the first byte says, and HTTP. TLS is in opening_tls.cc.

#include "network/opening.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "network/address.h"
#include "network/opening_tls.h"
#include "network/policy_entry.h"

namespace viv::network {
namespace {

using OpeningKind = Opening::Kind;

constexpr char kTlsHandshakeRecord = 0x16;
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

Opening OfKind(OpeningKind kind) {
  Opening opening;
  opening.kind = kind;
  return opening;
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

bool HasWord(std::string_view text, std::string_view word) {
  auto same = [](char a, char b) { return a == b || (b >= 'A' && b <= 'Z' && a == b + 32); };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

// "host[:port]" as a Host header or a target has it: the host, in lower case.
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
  std::string host;  // that the target names; empty: none
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

// The host of all header lines, which end with an empty one.
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

// A head ends with its first empty line; a line of a lone LF counts as well, so that what others
// might take for the end is not read over.
std::size_t HeadSize(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    std::string_view next = bytes.substr(at + 1, 2);
    if (next.starts_with('\n')) return at + 2;
    if (next == "\r\n") return at + 3;
  }
  return 0;
}

Opening ReadHttp2(std::string_view bytes) {
  std::size_t common = std::min(bytes.size(), kHttp2Preface.size());
  if (bytes.substr(0, common) != kHttp2Preface.substr(0, common))
    return OfKind(OpeningKind::kBroken);
  return OfKind(common < kHttp2Preface.size() ? OpeningKind::kNeedsMore : OpeningKind::kHttp2);
}

Opening ReadHttpHead(std::string_view bytes, std::string_view first_line) {
  Opening opening = OfKind(OpeningKind::kBroken);
  if (!first_line.ends_with('\r')) return opening;
  first_line.remove_suffix(1);
  auto request = ReadRequestLine(first_line);
  if (!request) return opening;
  std::size_t size = HeadSize(bytes);
  if (size == 0) return OfKind(OpeningKind::kNeedsMore);
  std::size_t headers_at = first_line.size() + 2;
  auto host = ReadHeaders(bytes.substr(headers_at, size - headers_at), *request);
  if (!host) return opening;
  opening.kind = OpeningKind::kHttp;
  opening.host = *std::move(host);
  return opening;
}

// A line of text is HTTP when it says so, however badly it is written: some server may be less
// strict than we are. "GET" alone may be HTTP 0.9, which has no head that could be read.
bool SpeaksOfHttp(std::string_view line) {
  return EqualsIgnoreCase(Trim(line).substr(0, 4), "GET ") || HasWord(line, "HTTP/");
}

Opening ReadText(std::string_view bytes) {
  std::size_t blank = bytes.find_first_not_of("\r\n");
  if (blank == std::string_view::npos) return OfKind(OpeningKind::kNeedsMore);
  std::string_view text = bytes.substr(blank);
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  std::string_view method = line.substr(0, line.find_first_of(" \t\r"));
  if (!method.empty() && !IsToken(method)) return OfKind(OpeningKind::kOther);
  auto odd = std::find_if(line.begin(), line.end(),
                          [](char c) { return c != '\t' && c != '\r' && IsControl(c); });
  if (odd != line.end()) {
    line = line.substr(0, static_cast<std::size_t>(odd - line.begin()));
    return OfKind(SpeaksOfHttp(line) ? OpeningKind::kBroken : OpeningKind::kOther);
  }
  if (end == std::string_view::npos) return OfKind(OpeningKind::kNeedsMore);
  if (!SpeaksOfHttp(line)) return OfKind(OpeningKind::kOther);
  if (line.starts_with("PRI ")) return ReadHttp2(bytes);
  if (blank > 0) return OfKind(OpeningKind::kBroken);
  return ReadHttpHead(bytes, line);
}

}  // namespace

Opening ReadOpening(std::string_view bytes) {
  if (bytes.empty()) return {};
  Opening opening;
  char first = bytes.front();
  if (first == kTlsHandshakeRecord)
    opening = ReadTlsOpening(bytes);
  else if (IsTokenChar(first) || first == ' ' || first == '\t' || first == '\r' || first == '\n')
    opening = ReadText(bytes);
  else
    opening.kind = OpeningKind::kOther;
  if (opening.kind == OpeningKind::kNeedsMore && bytes.size() >= kOpeningBytesMax)
    opening.kind = OpeningKind::kBroken;
  return opening;
}

Opening ReadEndedOpening(std::string_view bytes) {
  Opening opening = ReadOpening(bytes);
  if (opening.kind != OpeningKind::kNeedsMore) return opening;
  // A line that does not end is none of HTTP's, unless it says so.
  bool tls = bytes.starts_with(kTlsHandshakeRecord);
  bool line = bytes.find('\n') == std::string_view::npos && !SpeaksOfHttp(bytes);
  opening.kind = !tls && (line || Trim(bytes).empty()) ? OpeningKind::kOther : OpeningKind::kBroken;
  return opening;
}

}  // namespace viv::network
