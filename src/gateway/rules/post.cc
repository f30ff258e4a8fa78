#include "gateway/rules/post.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task_group.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "http/await_tuple.h"
#include "http/exchange.h"
#include "http/response_writer.h"
#include "http/url.h"

namespace viv::gateway {
namespace {

using asio::ip::tcp;

struct PostUrl {
  http::Url parts;
  bool secure = false;
};

// The state that the request and its waiter share: the waiter may leave first.
struct PostState {
  PostState(asio::any_io_executor executor, OriginTls& to_origin)
      : ended(std::move(executor)), tls(to_origin) {}

  asio::steady_timer ended;  // cancelled once there is a result
  OriginTls& tls;
  PostUrl url;
  std::string head, body;
  PostLimits limits;
  std::optional<Result<PostResponse>> result;
};

Result<PostUrl> ParsePostUrl(std::string_view text) {
  constexpr std::string_view kSecureScheme = "https://";
  PostUrl url;
  url.secure = EqualsIgnoreCase(text.substr(0, kSecureScheme.size()), kSecureScheme);
  std::string plain(text);
  if (url.secure) plain.erase(4, 1);
  Result<http::Url> parts = http::ParseUrl(plain);
  if (!parts) return Fail(ErrorCode::kInvalidArgument, "the URL is no http:// or https:// URL");
  url.parts = *std::move(parts);
  const std::string& authority = url.parts.authority;
  bool has_port = !authority.ends_with(']') && authority.find(':') != std::string::npos;
  if (url.secure && !has_port) url.parts.port = "443";
  return url;
}

Result<std::string> PostHead(const PostUrl& url, const http::Headers& headers, std::size_t bytes) {
  std::string head =
      fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\n", url.parts.target, url.parts.authority);
  if (!headers.Has("User-Agent")) head += "User-Agent: vivarium\r\n";
  for (const auto& [name, value] : headers) {
    if (!http::IsSafeHeader(name, value))
      return Fail(ErrorCode::kInvalidArgument,
                  "a header of the request is malformed, or its value has a line break");
    for (std::string_view own : {"host", "content-length", "transfer-encoding", "connection"})
      if (EqualsIgnoreCase(name, own))
        return Fail(ErrorCode::kInvalidArgument, "the header " + name + " cannot be set");
    head.append(name).append(": ").append(value).append("\r\n");
  }
  return head + fmt::format("Content-Length: {}\r\nConnection: close\r\n\r\n", bytes);
}

Task<Result<UniqueFd>> DialHost(std::shared_ptr<PostState> posting) {
  auto executor = co_await asio::this_coro::executor;
  const http::Url& url = posting->url.parts;
  tcp::resolver resolver(executor);
  auto [unresolved, found] = co_await resolver.async_resolve(url.host, url.port, http::kTuple);
  if (unresolved) co_return Fail(ErrorCode::kUnavailable, "resolve: " + unresolved.message());
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found)
    if (!posting->limits.may_dial ||
        posting->limits.may_dial(entry.endpoint().address().to_string()))
      endpoints.push_back(entry.endpoint());
  if (endpoints.empty())
    co_return Fail(ErrorCode::kUnavailable, "its addresses are none that may be dialled");
  tcp::socket socket(executor);
  auto [refused, endpoint] = co_await asio::async_connect(socket, endpoints, http::kTuple);
  if (refused) co_return Fail(ErrorCode::kUnavailable, "connect: " + refused.message());
  co_return UniqueFd(socket.release());
}

Task<Result<std::unique_ptr<http::Transport>>> OpenTransport(std::shared_ptr<PostState> posting) {
  auto executor = co_await asio::this_coro::executor;
  ASSIGN_OR_CO_RETURN(UniqueFd fd, co_await DialHost(posting));
  ASSIGN_OR_CO_RETURN(http::StreamSocket socket, http::AdoptSocket(executor, std::move(fd)));
  if (!posting->url.secure) co_return http::MakePlainTransport(std::move(socket));
  ASSIGN_OR_CO_RETURN(
      TlsConnection secured,
      co_await posting->tls.Connect(std::move(socket), posting->url.parts.host, false));
  co_return std::move(secured.transport);
}

Task<Result<PostResponse>> SendAndRead(std::shared_ptr<PostState> posting) {
  ASSIGN_OR_CO_RETURN(auto transport, co_await OpenTransport(posting));
  http::Exchange::Timing timing{.write = posting->limits.time,
                                .response = posting->limits.time,
                                .tick = http::Transport::Duration(250),
                                .is_abandoned = nullptr};
  http::Exchange exchange(std::move(transport), http::ResponseParser::RequestMethod::kOther,
                          timing);
  exchange.Send(std::move(posting->head), std::move(posting->body));
  ASSIGN_OR_CO_RETURN(http::ResponseHead head, co_await exchange.ReadHead(), "read the answer");
  PostResponse posted{head.status, {}};
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange.ReadPiece(), "read the answer");
    if (piece.empty()) co_return posted;
    if (piece.size() > posting->limits.response_bytes_max - posted.body.size())
      co_return Fail(ErrorCode::kUnavailable, fmt::format("the answer is larger than {} bytes",
                                                          posting->limits.response_bytes_max));
    posted.body += piece;
  }
}

Task<void> RunPost(std::shared_ptr<PostState> posting) {
  // The waiter may have left. That cancels this task, which is not a failure.
  co_await asio::this_coro::throw_if_cancelled(false);
  Result<PostResponse> result = co_await SendAndRead(posting);
  posting->result.emplace(std::move(result));
  posting->ended.cancel();
}

}  // namespace

Task<Result<PostResponse>> Post(
    OriginTls& tls, std::string url, http::Headers headers, std::string body, PostLimits limits) {
  auto executor = co_await asio::this_coro::executor;
  auto posting = std::make_shared<PostState>(executor, tls);
  ASSIGN_OR_CO_RETURN(posting->url, ParsePostUrl(url));
  ASSIGN_OR_CO_RETURN(posting->head, PostHead(posting->url, headers, body.size()));
  posting->body = std::move(body);
  posting->limits = std::move(limits);
  // A separate task: name resolution cannot be cancelled, but nobody has to wait for it.
  posting->ended.expires_after(posting->limits.time);
  TaskGroup tasks(executor);
  tasks.Spawn("gateway.post", RunPost(posting));
  if (!posting->result) co_await posting->ended.async_wait(http::kTuple);
  const std::string where = posting->url.parts.host + ":" + posting->url.parts.port;
  if (!posting->result) co_return Fail(ErrorCode::kUnavailable, where + " did not answer in time");
  if (!*posting->result) co_return PassUp(std::move(*posting->result).error(), where);
  co_return *std::move(*posting->result);
}

}  // namespace viv::gateway
