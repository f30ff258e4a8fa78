#include "http/client.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "http/response_head.h"

namespace viv::http {
namespace {

namespace beast = boost::beast;
using asio::ip::tcp;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t kHeaderBytesMax = 64 * 1024;

using Outgoing = beast::http::request<beast::http::string_body>;
using Incoming = beast::http::response_parser<beast::http::string_body>;

struct Url {
  std::string host;       // without brackets
  std::string port;       // "80"
  std::string authority;  // for the Host header
  std::string target;     // "/path?query"
};

bool IsPlain(std::string_view text) {
  for (unsigned char c : text) {
    if (c <= ' ' || c == 0x7f) return false;
  }
  return !text.empty();
}

bool IsPort(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0;
}

// Splits "host", "host:port" or "[::1]:port".
bool SplitAuthority(std::string_view authority, Url& url) {
  std::string_view host = authority.substr(0, authority.find(':'));
  std::string_view rest = authority.substr(host.size());
  if (authority.starts_with('[')) {
    std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return false;
    host = authority.substr(1, bracket - 1);
    rest = authority.substr(bracket + 1);
  }
  url.host.assign(host);
  if (!rest.empty()) {
    if (rest.front() != ':') return false;
    url.port.assign(rest.substr(1));
  }
  return !host.empty() && host.find('@') == std::string_view::npos && IsPort(url.port);
}

Result<Url> ParseUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme) || !IsPlain(text)) {
    return Fail(ErrorCode::kInvalidArgument, "not an http:// URL");
  }
  text.remove_prefix(kScheme.size());
  text = text.substr(0, text.find('#'));
  std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Url url{.host = {}, .port = "80", .authority = std::string(text.substr(0, end)), .target = "/"};
  if (end < text.size()) url.target.assign(text.substr(end));
  if (url.target.front() == '?') url.target.insert(0, "/");
  if (!SplitAuthority(url.authority, url)) {
    return Fail(ErrorCode::kInvalidArgument, "the URL's host or port is malformed");
  }
  return url;
}

Result<Outgoing> ToBeast(ClientRequest& request, const Url& url) {
  if (!IsSafeHeader(request.method, "")) {
    return Fail(ErrorCode::kInvalidArgument, "the method is malformed");
  }
  Outgoing outgoing;
  outgoing.version(11);
  outgoing.method_string(request.method);
  outgoing.target(url.target);
  outgoing.set(beast::http::field::host, url.authority);
  outgoing.set(beast::http::field::connection, "close");
  for (const auto& [name, value] : request.headers) {
    if (!IsSafeHeader(name, value)) {
      return Fail(ErrorCode::kInvalidArgument, "a request header is malformed");
    }
    outgoing.insert(name, value);
  }
  outgoing.body() = std::move(request.body);
  outgoing.prepare_payload();
  return outgoing;
}

ClientResponse FromBeast(Incoming::value_type message) {
  ClientResponse response;
  response.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    auto name = field.name_string();
    response.headers.Add(std::string(name.data(), name.size()),
                         std::string(field.value().data(), field.value().size()));
  }
  response.body = std::move(message.body());
  return response;
}

tl::unexpected<Error> FetchError(std::string_view doing, const boost::system::error_code& error) {
  bool too_large =
      error == beast::http::error::body_limit || error == beast::http::error::header_limit;
  return Fail(too_large ? ErrorCode::kLimitExceeded : ErrorCode::kUnavailable,
              std::string(doing) + ": " + error.message());
}

Task<Status> Connect(beast::tcp_stream& stream, const Url& url) {
  tcp::resolver resolver(stream.get_executor());
  auto [unresolved, addresses] = co_await resolver.async_resolve(url.host, url.port, kTuple);
  if (unresolved) co_return FetchError("resolve " + url.host, unresolved);
  auto [refused, endpoint] = co_await stream.async_connect(addresses, kTuple);
  if (refused) co_return FetchError("connect to " + url.authority, refused);
  co_return Status();
}

Task<Result<ClientResponse>> Exchange(beast::tcp_stream& stream,
                                      Outgoing& outgoing,
                                      const ClientRequest& request) {
  stream.expires_after(request.timeout);
  auto [unsent, sent] = co_await beast::http::async_write(stream, outgoing, kTuple);
  Incoming incoming;
  incoming.header_limit(kHeaderBytesMax);
  incoming.body_limit(request.body_bytes_max);
  incoming.skip(request.method == "HEAD");
  beast::flat_buffer buffer;
  stream.expires_after(request.timeout);
  // A server may answer, and close, before it has read all: its answer is worth more than the
  // error.
  auto [unread, received] = co_await beast::http::async_read(stream, buffer, incoming, kTuple);
  if (unread && unsent) co_return FetchError("send the request", unsent);
  if (unread) co_return FetchError("read the answer", unread);
  co_return FromBeast(incoming.release());
}

}  // namespace

Task<Result<ClientResponse>> Fetch(ClientRequest request) {
  ASSIGN_OR_CO_RETURN(Url url, ParseUrl(request.url), "fetch");
  ASSIGN_OR_CO_RETURN(Outgoing outgoing, ToBeast(request, url), "fetch");
  beast::tcp_stream stream(co_await asio::this_coro::executor);
  stream.expires_after(request.timeout);
  CO_RETURN_IF_ERROR(co_await Connect(stream, url), "fetch");
  co_return co_await Exchange(stream, outgoing, request);
}

Result<ClientResponse> FetchBlocking(ClientRequest request) {
  asio::io_context io{1};
  std::optional<Result<ClientResponse>> result;
  auto on_end = [&result](std::exception_ptr failure, Result<ClientResponse> fetched) {
    if (!failure) result.emplace(std::move(fetched));
  };
  asio::co_spawn(io, Fetch(std::move(request)), on_end);
  try {
    io.run();
  } catch (const std::exception& error) {
    return Fail(ErrorCode::kInternal, error.what());
  }
  if (!result) return Fail(ErrorCode::kInternal, "fetch failed");
  return *std::move(result);
}

}  // namespace viv::http
