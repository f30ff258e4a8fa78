#include "dialects/langsmith/service_headers.h"

#include <optional>

#include "base/text.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kServiceCookiesMax = 8;
constexpr std::string_view kUserHeaders = "x-langsmith-user-";

bool StartsWithIgnoreCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && EqualsIgnoreCase(text.substr(0, start.size()), start);
}

std::string_view CookieName(std::string_view pair) {
  return Trim(pair.substr(0, pair.find('=')));
}

bool IsOriginWide(std::string_view name) {
  for (std::string_view wide :
       {"service-worker-allowed", "clear-site-data", "strict-transport-security"})
    if (EqualsIgnoreCase(name, wide)) return true;
  return false;
}

// The guest's own cookies; empty when ours was the only one.
std::string WithoutOurCookie(std::string_view header) {
  std::string kept;
  for (std::string_view pair : Split(header, ';')) {
    std::string_view trimmed = Trim(pair);
    if (trimmed.empty() || CookieName(trimmed) == kServiceCookie) continue;
    if (!kept.empty()) kept += "; ";
    kept += trimmed;
  }
  return kept;
}

// A cookie of the guest, kept to its own address; nothing when it pretends to be ours.
std::optional<std::string> RewriteCookie(std::string_view cookie, std::string_view prefix) {
  std::string kept;
  std::optional<std::string> path;  // absent: the browser takes it from the request
  bool is_first = true;
  for (std::string_view part : Split(cookie, ';')) {
    part = Trim(part);
    std::string_view name = CookieName(part);
    std::size_t equals = part.find('=');
    if (is_first) {
      if (name == kServiceCookie) return std::nullopt;
    } else if (EqualsIgnoreCase(name, "domain")) {
      continue;
    } else if (EqualsIgnoreCase(name, "path")) {
      std::string_view value =
          equals == std::string_view::npos ? std::string_view() : Trim(part.substr(equals + 1));
      if (value.starts_with('/')) path = value;
      continue;
    }
    if (!is_first) kept += "; ";
    kept += part;
    is_first = false;
  }
  if (path) kept += "; Path=" + std::string(prefix) + *path;
  return kept;
}

// A redirection within the guest, as its clients have to follow it.
std::string RewriteLocation(std::string_view location, const ResponseRewrite& guest) {
  std::string_view rest = location;
  std::string_view origin;
  if (!guest.origin.empty() && rest.starts_with(guest.origin)) {
    origin = rest.substr(0, guest.origin.size());
    rest.remove_prefix(origin.size());
  }
  bool is_path = rest.starts_with('/') && !rest.starts_with("//");
  bool has_prefix = rest.starts_with(guest.prefix) &&
                    (rest.size() == guest.prefix.size() || rest[guest.prefix.size()] == '/');
  if (!is_path || has_prefix) return std::string(location);
  return std::string(origin) + guest.prefix + std::string(rest);
}

}  // namespace

std::vector<std::string> ServiceCookies(const http::Request& request) {
  std::vector<std::string> values;
  for (const auto& [name, value] : request.headers) {
    if (!EqualsIgnoreCase(name, "cookie")) continue;
    for (std::string_view pair : Split(value, ';')) {
      std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos || CookieName(pair) != kServiceCookie) continue;
      values.emplace_back(Trim(pair.substr(equals + 1)));
      if (values.size() == kServiceCookiesMax) return values;
    }
  }
  return values;
}

void RewriteRequest(http::Request& request, const RequestRewrite& guest) {
  http::Headers kept;
  for (const auto& [name, value] : request.headers) {
    if (EqualsIgnoreCase(name, kServiceTokenHeader)) continue;
    if (StartsWithIgnoreCase(name, kUserHeaders)) continue;
    if (EqualsIgnoreCase(name, "x-forwarded-prefix")) continue;
    bool is_key = EqualsIgnoreCase(name, "authorization") || EqualsIgnoreCase(name, "x-api-key") ||
                  EqualsIgnoreCase(name, "x-service-key");
    if (is_key && !guest.keep_keys) continue;
    if (EqualsIgnoreCase(name, "cookie")) {
      std::string cookies = WithoutOurCookie(value);
      if (!cookies.empty()) kept.Add(name, std::move(cookies));
      continue;
    }
    kept.Add(name, value);
  }
  if (!guest.user_id.empty()) kept.Add("X-Langsmith-User-Id", guest.user_id);
  if (!guest.prefix.empty()) kept.Add("X-Forwarded-Prefix", guest.prefix);
  request.headers = std::move(kept);
}

void RewriteResponse(http::Response& response, const ResponseRewrite& guest) {
  const bool shares_origin = !guest.prefix.empty();
  http::Headers kept;
  for (const auto& [name, value] : response.headers) {
    if (EqualsIgnoreCase(name, "set-cookie")) {
      if (auto cookie = RewriteCookie(value, guest.prefix)) kept.Add(name, *std::move(cookie));
    } else if (shares_origin && IsOriginWide(name)) {
      continue;
    } else if (shares_origin && EqualsIgnoreCase(name, "location")) {
      kept.Add(name, RewriteLocation(value, guest));
    } else {
      kept.Add(name, value);
    }
  }
  response.headers = std::move(kept);
}

void DropOriginWideHeaders(http::Response& response) {
  http::Headers kept;
  for (const auto& [name, value] : response.headers)
    if (!EqualsIgnoreCase(name, "set-cookie") && !IsOriginWide(name)) kept.Add(name, value);
  response.headers = std::move(kept);
}

}  // namespace viv::langsmith
