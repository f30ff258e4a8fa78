#include "dialects/recoup/download.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "base/text.h"
#include "network/policy.h"
#include "network/stream.h"

namespace viv::recoup {
namespace {

namespace beast = boost::beast;
using DownloadParser = beast::http::response_parser<beast::http::string_body>;
using Endpoints = std::vector<asio::ip::tcp::endpoint>;

constexpr auto kDownloadTuple = asio::as_tuple(asio::use_awaitable);
constexpr int kRedirectsMax = 5;

struct WebResponse {
  unsigned status = 0;
  std::string location;
  std::string body;
};

tl::unexpected<Error> DownloadFailed(std::string_view doing, const boost::system::error_code& why) {
  return Fail(ErrorCode::kUnavailable, std::string(doing) + ": " + why.message());
}

// The private blocks that the operator allowed. This machine's own loopback is allowed only by
// blocks within it: an operator who allows everything for boxes, which have a loopback of their
// own, does not mean it.
struct AllowedBlocks {
  network::Rules any;
  network::Rules loopback;
};

Result<AllowedBlocks> CompileAllowed(const std::vector<std::string>& open_private) {
  network::Policy any{open_private, {}, false};
  network::Policy loopback{{}, {}, false};
  for (const std::string& entry : open_private)
    if (entry.starts_with("127.") || entry.starts_with("::1")) loopback.allow.push_back(entry);
  AllowedBlocks opened;
  ASSIGN_OR_RETURN(opened.any, network::Rules::Compile(any));
  ASSIGN_OR_RETURN(opened.loopback, network::Rules::Compile(loopback));
  return opened;
}

bool IsOwnLoopback(const network::Address& address) {
  if (address.IsV4()) return address.bytes[12] == 127 || address.bytes[12] == 0;
  return address == network::ParseAddress("::1") || address == network::ParseAddress("::");
}

bool MayDial(const asio::ip::tcp::endpoint& endpoint, const AllowedBlocks& opened) {
  auto address = network::ParseAddress(endpoint.address().to_string());
  if (!address || address->IsMetadata()) return false;
  if (IsOwnLoopback(*address)) return opened.loopback.Allows("", *address, endpoint.port());
  const bool guarded = address->IsPrivate() || network::IsAddressOfThisMachine(*address);
  return !guarded || opened.any.Allows("", *address, endpoint.port());
}

// The addresses of the name that may be dialled; all others are dropped.
Task<Result<Endpoints>> AddressesOf(WebUrl url, std::vector<std::string> open_private) {
  auto opened = CompileAllowed(open_private);
  if (!opened) co_return PassUp(opened.error());
  asio::ip::tcp::resolver resolver(co_await asio::this_coro::executor);
  auto [error, found] = co_await resolver.async_resolve(url.host, url.port, kDownloadTuple);
  if (error) co_return DownloadFailed("look up " + Printable(url.host), error);
  Endpoints endpoints;
  for (const auto& entry : found)
    if (MayDial(entry.endpoint(), *opened)) endpoints.push_back(entry.endpoint());
  if (endpoints.empty())
    co_return Fail(
        ErrorCode::kPermissionDenied,
        Printable(url.host) + " is a private address, which this server does not fetch from");
  co_return endpoints;
}

template <typename Stream>
Task<Result<WebResponse>> Exchange(Stream& stream, const WebUrl& url, std::size_t bytes_max) {
  beast::http::request<beast::http::empty_body> request(beast::http::verb::get, url.target, 11);
  request.set(beast::http::field::host, url.authority);
  request.set(beast::http::field::user_agent, "vivarium");
  request.set(beast::http::field::accept, "*/*");
  request.set(beast::http::field::connection, "close");
  auto [not_sent, sent] = co_await beast::http::async_write(stream, request, kDownloadTuple);
  if (not_sent) co_return DownloadFailed("send the request", not_sent);
  DownloadParser parser;
  parser.body_limit(bytes_max);
  beast::flat_buffer buffer;
  auto [error, size] = co_await beast::http::async_read(stream, buffer, parser, kDownloadTuple);
  if (error == beast::http::error::body_limit)
    co_return Fail(ErrorCode::kLimitExceeded,
                   "the file has more than " + std::to_string(bytes_max) + " bytes");
  if (error) co_return DownloadFailed("read the answer", error);
  WebResponse response;
  response.status = parser.get().result_int();
  auto location = parser.get()[beast::http::field::location];
  response.location.assign(location.data(), location.size());
  response.body = std::move(parser.get().body());
  co_return response;
}

Task<Result<WebResponse>> ExchangeSecurely(beast::tcp_stream connection,
                                           const WebUrl& url,
                                           const DownloadLimits& limits) {
  asio::ssl::context tls(asio::ssl::context::tls_client);
  boost::system::error_code ignored;
  tls.set_default_verify_paths(ignored);  // without any, every certificate is refused
  tls.set_verify_mode(asio::ssl::verify_peer, ignored);
  tls.set_verify_callback(asio::ssl::host_name_verification(url.host), ignored);
  beast::ssl_stream<beast::tcp_stream> stream(std::move(connection), tls);
  SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
  beast::get_lowest_layer(stream).expires_after(limits.time);
  auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, kDownloadTuple);
  if (error) co_return DownloadFailed("TLS with " + Printable(url.host), error);
  beast::get_lowest_layer(stream).expires_after(limits.time);
  co_return co_await Exchange(stream, url, limits.bytes_max);
}

Task<Result<WebResponse>> FetchPage(WebUrl url, DownloadLimits limits) {
  auto endpoints = co_await AddressesOf(url, limits.open_private);
  if (!endpoints) co_return PassUp(endpoints.error());
  beast::tcp_stream connection(co_await asio::this_coro::executor);
  connection.expires_after(limits.time);
  auto [error, reached] = co_await connection.async_connect(*endpoints, kDownloadTuple);
  if (error) co_return DownloadFailed("connect to " + Printable(url.authority), error);
  connection.expires_after(limits.time);
  if (url.secure) co_return co_await ExchangeSecurely(std::move(connection), url, limits);
  co_return co_await Exchange(connection, url, limits.bytes_max);
}

bool IsRedirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

Task<Result<std::string>> Download(std::string url, DownloadLimits limits) {
  if (url.size() >= 5 && EqualsIgnoreCase(std::string_view(url).substr(0, 5), "data:")) {
    std::optional<std::string> bytes = BytesOfDataUrl(url);
    if (!bytes) co_return Fail(ErrorCode::kInvalidArgument, "the data: URL is malformed");
    if (bytes->size() > limits.bytes_max)
      co_return Fail(ErrorCode::kLimitExceeded,
                     "the file has more than " + std::to_string(limits.bytes_max) + " bytes");
    co_return std::move(*bytes);
  }
  auto at = ParseWebUrl(url);
  for (int hop = 0; hop <= kRedirectsMax; ++hop) {
    if (!at) co_return PassUp(at.error());
    auto response = co_await FetchPage(*at, limits);
    if (!response) co_return PassUp(response.error());
    if (response->status == 200) co_return std::move(response->body);
    if (!IsRedirect(response->status))
      co_return Fail(ErrorCode::kUnavailable,
                     "the server answered with status " + std::to_string(response->status));
    at = ResolveRedirect(*at, response->location);
  }
  co_return Fail(ErrorCode::kUnavailable, "too many redirects");
}

}  // namespace viv::recoup
