#include "dialects/recoup/download.h"

#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "http/client.h"
#include "http/url.h"

namespace viv::recoup {
namespace {

constexpr int kRedirectsMax = 5;
constexpr std::size_t kDownloadUrlBytesMax = 8192;
constexpr std::string_view kDataScheme = "data:";

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool IsDataUrl(std::string_view url) {
  return EqualsIgnoreCase(url.substr(0, kDataScheme.size()), kDataScheme);
}

tl::unexpected<Error> TooLarge(std::size_t bytes_max) {
  return Fail(ErrorCode::kLimitExceeded,
              "the file has more than " + std::to_string(bytes_max) + " bytes");
}

std::string TextOfUrl(const http::Url& url) {
  return (url.secure ? "https://" : "http://") + url.authority + url.target;
}

http::ClientRequest DownloadRequest(const http::Url& url, const DownloadOptions& options) {
  http::ClientRequest request;
  request.url = TextOfUrl(url);
  request.headers.Add("User-Agent", "vivarium");
  request.headers.Add("Accept", "*/*");
  request.timeout = options.time;
  request.total_timeout = 4 * options.time;  // resolving and TLS have no limit of their own here
  request.body_bytes_max = options.bytes_max;
  request.tls = options.tls;
  request.check_address = [guard = options.dial_guard](const std::string& address,
                                                       std::uint16_t port) {
    return guard.Check(address, port);
  };
  return request;
}

Result<std::string> ReadDataUrl(std::string_view url, std::size_t bytes_max) {
  std::optional<std::string> bytes = BytesOfDataUrl(url);
  if (!bytes) return Fail(ErrorCode::kInvalidArgument, "the data: URL is malformed");
  if (bytes->size() > bytes_max) return TooLarge(bytes_max);
  return *std::move(bytes);
}

}  // namespace

Task<Result<std::string>> Download(std::string url, DownloadOptions options) {
  if (IsDataUrl(url)) co_return ReadDataUrl(url, options.bytes_max);
  if (url.size() > kDownloadUrlBytesMax)
    co_return Fail(ErrorCode::kInvalidArgument, "the URL is too long");
  Result<http::Url> at = http::ParseUrl(url);
  for (int hop = 0; hop <= kRedirectsMax; ++hop) {
    if (!at) co_return PassUp(at.error());
    auto response = co_await http::Fetch(DownloadRequest(*at, options));
    if (!response && response.error().code == ErrorCode::kLimitExceeded)
      co_return TooLarge(options.bytes_max);
    if (!response) co_return PassUp(response.error());
    if (response->status == 200) co_return std::move(response->body);
    if (!IsRedirect(response->status))
      co_return Fail(ErrorCode::kUnavailable,
                     "the server answered with status " + std::to_string(response->status));
    at = http::ResolveRedirect(*at, response->headers.Get("Location"));
  }
  co_return Fail(ErrorCode::kUnavailable, "too many redirects");
}

std::optional<std::string> BytesOfDataUrl(std::string_view url) {
  if (!IsDataUrl(url)) return std::nullopt;
  const std::size_t comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view head = url.substr(kDataScheme.size(), comma - kDataScheme.size());
  std::optional<std::string> bytes = PercentDecode(url.substr(comma + 1));
  if (!bytes || !ToLower(head).ends_with(";base64")) return bytes;
  return DecodeBase64(*bytes);
}

}  // namespace viv::recoup
