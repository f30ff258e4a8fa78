#include "gateway/rules/sigv4.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "gateway/rules/crypto.h"

namespace viv::gateway {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string AmzDate(std::int64_t unix_seconds) {
  std::string text = FormatTimestamp({unix_seconds, 0});  // 2015-08-30T12:36:00Z
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

// Decodes what is encoded correctly, then encodes as AWS does.
std::string EncodeAnew(std::string_view text) {
  return PercentEncode(PercentDecode(text).value_or(std::string(text)));
}

std::string EncodeSegments(std::string_view path, std::string (*encode)(std::string_view)) {
  std::string encoded;
  bool first = true;
  for (std::string_view segment : Split(path, '/')) {
    if (!first) encoded += '/';
    encoded += encode(segment);
    first = false;
  }
  return encoded;
}

std::string WithoutDotSegments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_folder = true;
  for (std::string_view segment : Split(path, '/')) {
    ends_in_folder = segment.empty() || segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!ends_in_folder) kept.push_back(segment);
  }
  std::string clean;
  for (std::string_view segment : kept) clean.append("/").append(segment);
  if (ends_in_folder) clean += '/';
  return clean;
}

// S3 uses the path as it is. All other services normalize it and encode it once more.
std::string CanonicalPath(std::string_view path, const AwsScope& scope) {
  if (path.empty()) return "/";
  if (scope.is_s3()) return EncodeSegments(path, EncodeAnew);
  return EncodeSegments(WithoutDotSegments(path), PercentEncode);
}

std::string CanonicalQuery(std::string_view target) {
  std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return "";
  std::string query(target.substr(mark + 1));
  query.resize(std::min(query.find('#'), query.size()));
  std::replace(query.begin(), query.end(), '+', ' ');
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::string_view pair : Split(query, '&')) {
    if (pair.empty()) continue;
    std::size_t equals = std::min(pair.find('='), pair.size());
    std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    pairs.emplace_back(EncodeAnew(pair.substr(0, equals)), EncodeAnew(value));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string canonical;
  for (const auto& [name, value] : pairs) {
    if (!canonical.empty()) canonical += '&';
    canonical.append(name).append("=").append(value);
  }
  return canonical;
}

// Trims the value and replaces every run of spaces by one.
std::string CanonicalValue(std::string_view value) {
  std::string canonical;
  for (char c : Trim(value))
    if (c != ' ' || canonical.back() != ' ') canonical += c;
  return canonical;
}

// The headers that are signed: those that AWS requires, and none that a proxy might change.
std::map<std::string, std::string> SignedHeaders(const RequestHead& head) {
  std::map<std::string, std::string> signed_headers{{"host", CanonicalValue(head.authority)}};
  for (const auto& [name, value] : head.headers) {
    std::string lower = ToLower(name);
    if (!lower.starts_with("x-amz-") && lower != "content-type") continue;
    auto [at, added] = signed_headers.emplace(lower, CanonicalValue(value));
    if (!added) at->second.append(",").append(CanonicalValue(value));
  }
  return signed_headers;
}

std::string SigningKey(std::string_view secret, std::string_view day, const AwsScope& scope) {
  ZeroizedString first("AWS4" + std::string(secret));
  ZeroizedString dated(HmacSha256(first.text(), day));
  ZeroizedString regional(HmacSha256(dated.text(), scope.region));
  ZeroizedString of_service(HmacSha256(regional.text(), scope.service));
  return HmacSha256(of_service.text(), "aws4_request");
}

}  // namespace

void SignForAws(RequestHead& head,
                const AwsKeys& keys,
                const AwsScope& scope,
                const std::string& payload_hash,
                std::int64_t unix_seconds) {
  http::Headers kept;
  for (const auto& [name, value] : head.headers) {
    bool replaced = false;
    for (std::string_view own :
         {"authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"})
      replaced = replaced || EqualsIgnoreCase(name, own);
    if (!replaced) kept.Add(name, value);
  }
  const bool tells_hash = scope.is_s3() || head.headers.Has("x-amz-content-sha256");
  head.headers = std::move(kept);
  const std::string date = AmzDate(unix_seconds);
  const std::string day = date.substr(0, 8);
  head.headers.Add("X-Amz-Date", date);
  if (tells_hash) head.headers.Add("X-Amz-Content-Sha256", payload_hash);
  if (!keys.session_token.empty())
    head.headers.Add("X-Amz-Security-Token", std::string(keys.session_token));

  std::string canonical = fmt::format(
      "{}\n{}\n{}\n", head.method, CanonicalPath(head.path(), scope), CanonicalQuery(head.target));
  std::string names;
  for (const auto& [name, value] : SignedHeaders(head)) {
    canonical.append(name).append(":").append(value).append("\n");
    names.append(names.empty() ? "" : ";").append(name);
  }
  canonical.append("\n").append(names).append("\n").append(payload_hash);
  const std::string place = fmt::format("{}/{}/{}/aws4_request", day, scope.region, scope.service);
  const std::string to_sign =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, date, place, Hex(Sha256(canonical)));
  ZeroizedString key(SigningKey(keys.secret, day, scope));
  head.headers.Add("Authorization",
                   fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                               keys.id, place, names, Hex(HmacSha256(key.text(), to_sign))));
}

}  // namespace viv::gateway
