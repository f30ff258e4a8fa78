#include "gateway/http/http2_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/relay_head.h"
#include "http/response_writer.h"

namespace viv::gateway {
namespace {

const http::Headers kNoHeaders;

std::optional<std::uint64_t> ParseLength(std::string_view text) {
  std::uint64_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

bool IsPlainWord(std::string_view text) {
  auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

// "te: trailers" is the only hop-by-hop header in HTTP/2, and gRPC needs it.
bool IsForNextHop(std::string_view name, std::string_view value) {
  if (EqualsIgnoreCase(name, "te")) return EqualsIgnoreCase(Trim(value), "trailers");
  return !http::IsHopByHopHeader(kNoHeaders, name) && !EqualsIgnoreCase(name, "http2-settings");
}

// HTTP/2 may split a cookie header into several fields, which HTTP/1.1 does not allow.
void AddCrumb(std::string& cookie, std::string_view crumb) {
  if (!cookie.empty()) cookie += "; ";
  cookie += crumb;
}

struct PseudoFields {
  std::string scheme;
  std::optional<std::string> authority, host;
};

tl::unexpected<Http2Problem> Refuse(int status, std::string message) {
  return tl::unexpected<Http2Problem>(Http2Problem{status, std::move(message)});
}

void TakePseudo(std::string_view name, std::string value, RequestHead& head, PseudoFields& pseudo) {
  if (name == ":method") head.method = std::move(value);
  if (name == ":path") head.target = std::move(value);
  if (name == ":scheme") pseudo.scheme = std::move(value);
  if (name == ":authority") pseudo.authority = std::move(value);
}

tl::expected<void, Http2Problem> CheckRequest(RequestHead& head, const PseudoFields& pseudo) {
  if (head.method == "CONNECT") {
    return Refuse(403, "CONNECT is not carried here: connect to the host itself");
  }
  if (pseudo.scheme != "https" && pseudo.scheme != "http") {
    return Refuse(400, "the :scheme of a request is http or https");
  }
  if (pseudo.authority && pseudo.host && !EqualsIgnoreCase(*pseudo.authority, *pseudo.host)) {
    return Refuse(400, ":authority and host name different hosts");
  }
  head.authority = pseudo.authority.value_or(pseudo.host.value_or(""));
  if (!IsPlainWord(head.authority) || head.authority.find('@') != std::string::npos) {
    return Refuse(400, "the :authority of a request is host or host:port");
  }
  if (!IsPlainWord(head.target) || (head.target[0] != '/' && head.target != "*")) {
    return Refuse(400, "the :path of a request begins with /");
  }
  return {};
}

void AddSendable(Http2Fields& fields, std::string_view name, std::string_view value) {
  std::string_view trimmed = Trim(value);
  if (IsForNextHop(name, trimmed) && http::IsSafeHeader(name, trimmed)) {
    fields.emplace_back(ToLower(name), trimmed);
  }
}

}  // namespace

tl::expected<RequestHead, Http2Problem> Http2RequestHead(Http2Fields fields, Http2Body body) {
  RequestHead head;
  PseudoFields pseudo;
  std::string cookie;
  for (auto& [name, value] : fields) {
    if (name.starts_with(':')) {
      TakePseudo(name, std::move(value), head, pseudo);
    } else if (name == "host") {
      if (pseudo.host) return Refuse(400, "a request has one host");
      pseudo.host = std::move(value);
    } else if (name == "cookie") {
      AddCrumb(cookie, value);
    } else if (IsForNextHop(name, value)) {
      head.headers.Add(std::move(name), std::move(value));
    }
  }
  if (!cookie.empty()) head.headers.Add("cookie", std::move(cookie));
  auto checked = CheckRequest(head, pseudo);
  if (!checked) return tl::unexpected<Http2Problem>(std::move(checked).error());
  head.has_body = body == Http2Body::kFollows;
  head.body_bytes = ParseLength(head.headers.Get("content-length"));
  return head;
}

Result<ResponseHead> Http2ResponseHead(Http2Fields fields, Http2Body body) {
  ResponseHead head;
  for (auto& [name, value] : fields) {
    if (name == ":status") {
      head.status = static_cast<int>(ParseLength(value).value_or(0) % 1000);
    } else if (!name.starts_with(':') && IsForNextHop(name, value)) {
      head.headers.Add(std::move(name), std::move(value));
    }
  }
  if (head.status < 100) return Fail(ErrorCode::kUnavailable, "the origin's answer has no status");
  head.has_body = body == Http2Body::kFollows;
  head.body_bytes = ParseLength(head.headers.Get("content-length"));
  return head;
}

http::Headers Http2Trailers(Http2Fields fields) {
  http::Headers trailers;
  for (auto& [name, value] : fields) {
    if (!name.starts_with(':') && IsForNextHop(name, value)) {
      trailers.Add(std::move(name), std::move(value));
    }
  }
  return trailers;
}

Result<Http2Fields> ToHttp2Fields(const RequestHead& head, std::string_view scheme) {
  if (!IsPlainWord(head.method) || !IsPlainWord(head.authority) || !IsPlainWord(head.target)) {
    return Fail(ErrorCode::kInvalidArgument, "the request's method, host or target is malformed");
  }
  Http2Fields fields{{":method", head.method},
                     {":scheme", std::string(scheme)},
                     {":authority", head.authority},
                     {":path", head.target}};
  bool has_length = false;
  for (const auto& [name, value] : head.headers) {
    if (EqualsIgnoreCase(name, "host")) continue;
    if (EqualsIgnoreCase(name, "content-length") && std::exchange(has_length, true)) continue;
    if (!http::IsSafeHeader(name, value)) {
      return Fail(ErrorCode::kInvalidArgument, "a header of the request cannot be sent");
    }
    AddSendable(fields, name, value);
  }
  return fields;
}

Http2Fields ToHttp2Fields(const ResponseHead& head) {
  Http2Fields fields{{":status", fmt::format("{:03}", std::clamp(head.status, 100, 999))}};
  // HTTP/1 may repeat the same length, and may send one without a body. HTTP/2 may not.
  bool has_length = head.status < 200 || head.status == 204;
  for (const auto& [name, value] : head.headers) {
    if (EqualsIgnoreCase(name, "content-length") && std::exchange(has_length, true)) continue;
    AddSendable(fields, name, value);
  }
  return fields;
}

Http2Fields ToHttp2Fields(const http::Headers& trailers) {
  Http2Fields fields;
  for (const auto& [name, value] : trailers) {
    if (!EqualsIgnoreCase(name, "content-length")) AddSendable(fields, name, value);
  }
  return fields;
}

bool MayBeIndexed(std::string_view name) {
  constexpr std::string_view kPublic[] = {":method", ":scheme",         ":authority",
                                          "accept",  "accept-encoding", "user-agent",
                                          "te",      "content-type"};
  return std::find(std::begin(kPublic), std::end(kPublic), name) != std::end(kPublic);
}

}  // namespace viv::gateway
