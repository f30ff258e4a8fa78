#include "http/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task_group.h"
#include "base/text.h"
#include "http/await_tuple.h"
#include "http/client_tls.h"
#include "http/dial.h"
#include "http/exchange.h"
#include "http/response_writer.h"
#include "http/url.h"

namespace viv::http {
namespace {

// Framing and host are the client's own, unless the caller names another host.
bool IsClientHeader(std::string_view name) {
  for (std::string_view own : {"content-length", "transfer-encoding", "connection"}) {
    if (EqualsIgnoreCase(name, own)) return true;
  }
  return false;
}

Result<std::string> RequestHead(const ClientRequest& request, const Url& url) {
  if (!IsSafeHeader(request.method, "")) {
    return Fail(ErrorCode::kInvalidArgument, "the method is malformed");
  }
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, url.target);
  if (!request.headers.Has("host")) head.append("Host: ").append(url.authority).append("\r\n");
  for (const auto& [name, value] : request.headers) {
    if (!IsSafeHeader(name, value)) {
      return Fail(ErrorCode::kInvalidArgument, "a request header is malformed");
    }
    if (!IsClientHeader(name)) head.append(name).append(": ").append(value).append("\r\n");
  }
  bool may_lack_body = request.method == "GET" || request.method == "HEAD" ||
                       request.method == "DELETE" || request.method == "OPTIONS";
  if (request.body_source) {
    head.append("Transfer-Encoding: chunked\r\n");
  } else if (!request.body.empty() || !may_lack_body) {
    head.append(fmt::format("Content-Length: {}\r\n", request.body.size()));
  }
  return head.append("Connection: close\r\n\r\n");
}

class ClientExchange : public StreamingResponse {
 public:
  ClientExchange(std::unique_ptr<Transport> transport, const ClientRequest& request)
      : exchange_(std::move(transport),
                  request.method == "HEAD" ? ResponseParser::RequestMethod::kHead
                                           : ResponseParser::RequestMethod::kOther,
                  {.write = request.timeout,
                   .response = request.timeout,
                   .tick = std::clamp(
                       request.timeout / 4, Transport::Duration(5), Transport::Duration(250)),
                   .is_abandoned = request.is_abandoned}),
        silence_timeout_(request.silence_timeout) {}

  Task<Status> Begin(ClientRequest request, std::string head) {
    if (request.body_source) {
      exchange_.Send(std::move(head), std::move(request.body_source),
                     Exchange::BodyFraming::kChunked);
    } else {
      exchange_.Send(std::move(head), std::move(request.body));
    }
    ASSIGN_OR_CO_RETURN(ResponseHead response, co_await exchange_.ReadHead(), "read the answer");
    status = response.status;
    headers = std::move(response.headers);
    co_return Status();
  }

  Task<Result<std::string>> ReadInTime() { return exchange_.ReadPiece(); }

  Task<Result<std::string>> Read() override {
    if (silence_timeout_.count() > 0) {
      exchange_.ReadWithin(silence_timeout_);
    } else {
      exchange_.ReadForever();
    }
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange_.ReadPiece(), "read the answer");
    co_return piece;
  }

 private:
  Exchange exchange_;
  const Transport::Duration silence_timeout_;
};

using ExchangeResult = Result<std::unique_ptr<ClientExchange>>;

Task<ExchangeResult> StartOverTransport(std::unique_ptr<Transport> transport,
                                        ClientRequest request,
                                        std::string head) {
  auto exchange = std::make_unique<ClientExchange>(std::move(transport), request);
  CO_RETURN_IF_ERROR(co_await exchange->Begin(std::move(request), std::move(head)));
  co_return exchange;
}

Task<ExchangeResult> StartOverConnection(UniqueFd connection, ClientRequest request, Url url) {
  ASSIGN_OR_CO_RETURN(std::string head, RequestHead(request, url));
  auto executor = co_await asio::this_coro::executor;
  ASSIGN_OR_CO_RETURN(StreamSocket socket, AdoptSocket(executor, std::move(connection)));
  co_return co_await StartOverTransport(MakePlainTransport(std::move(socket)), std::move(request),
                                        std::move(head));
}

Task<ExchangeResult> StartAtUrl(ClientRequest request) {
  ASSIGN_OR_CO_RETURN(Url url, ParseUrl(request.url));
  if (url.secure && request.tls == nullptr)
    co_return Fail(ErrorCode::kInvalidArgument, "not an http:// URL");
  ASSIGN_OR_CO_RETURN(std::string head, RequestHead(request, url));  // before it connects
  DialOptions options{.timeout = request.timeout,
                      .check_address = request.check_address,
                      .is_abandoned = request.is_abandoned};
  ASSIGN_OR_CO_RETURN(UniqueFd connection, co_await DialUrl(url, std::move(options)));
  auto executor = co_await asio::this_coro::executor;
  ASSIGN_OR_CO_RETURN(StreamSocket socket, AdoptSocket(executor, std::move(connection)));
  std::unique_ptr<Transport> transport;
  if (url.secure) {
    ASSIGN_OR_CO_RETURN(transport, co_await request.tls->Secure(std::move(socket), url.host),
                        "TLS with " + url.authority);
  } else {
    transport = MakePlainTransport(std::move(socket));
  }
  co_return co_await StartOverTransport(std::move(transport), std::move(request), std::move(head));
}

Task<Result<ClientResponse>> ReadWholeBody(std::unique_ptr<ClientExchange> exchange,
                                           std::size_t bytes_max) {
  ClientResponse response;
  response.status = exchange->status;
  response.headers = std::move(exchange->headers);
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange->ReadInTime(), "read the answer");
    if (piece.empty()) co_return response;
    if (piece.size() > bytes_max - response.body.size()) {
      co_return Fail(ErrorCode::kLimitExceeded,
                     fmt::format("read the answer: larger than {} bytes", bytes_max));
    }
    response.body += piece;
  }
}

Task<Status> RunCallbacks(ClientRequest request, StreamCallbacks callbacks) {
  ASSIGN_OR_CO_RETURN(auto response, co_await FetchStream(std::move(request)));
  if (callbacks.on_head) CO_RETURN_IF_ERROR(callbacks.on_head(response->status, response->headers));
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await response->Read());
    if (piece.empty()) co_return Status();
    if (callbacks.on_piece) CO_RETURN_IF_ERROR(callbacks.on_piece(std::move(piece)));
  }
}

Task<Result<ClientResponse>> FetchWhole(ClientRequest request) {
  std::size_t bytes_max = request.body_bytes_max;
  ASSIGN_OR_CO_RETURN(auto exchange, co_await StartAtUrl(std::move(request)), "fetch");
  co_return co_await ReadWholeBody(std::move(exchange), bytes_max);
}

// What a fetch and the one who waits for it share: the latter may leave first.
struct TimedFetch {
  explicit TimedFetch(asio::any_io_executor executor) : ended(std::move(executor)) {}

  asio::steady_timer ended;  // cancelled once there is a result
  bool is_abandoned = false;
  std::optional<Result<ClientResponse>> result;
};

Task<void> RunTimedFetch(std::shared_ptr<TimedFetch> timed, ClientRequest request) {
  // Whoever waited may have left: that ends this, and is no failure.
  co_await asio::this_coro::throw_if_cancelled(false);
  Result<ClientResponse> result = co_await FetchWhole(std::move(request));
  timed->result.emplace(std::move(result));
  timed->ended.cancel();
}

// A task of its own: not all of it can be broken off (a name that is being resolved), but nobody
// has to wait for it.
Task<Result<ClientResponse>> FetchWithin(ClientRequest request) {
  ASSIGN_OR_CO_RETURN(const Url url, ParseUrl(request.url), "fetch");
  auto executor = co_await asio::this_coro::executor;
  auto timed = std::make_shared<TimedFetch>(executor);
  timed->ended.expires_after(request.total_timeout);
  request.is_abandoned = [timed, also = std::move(request.is_abandoned)] {
    return timed->is_abandoned || (also && also());
  };
  TaskGroup tasks(executor);
  tasks.Spawn("http.fetch", RunTimedFetch(timed, std::move(request)));
  if (!timed->result) co_await timed->ended.async_wait(kTuple);
  timed->is_abandoned = true;
  if (timed->result) co_return *std::move(timed->result);
  co_return Fail(ErrorCode::kUnavailable,
                 "fetch: " + url.host + ":" + url.port + " did not answer in time");
}

template <typename T>
Result<T> RunBlocking(Task<Result<T>> task) {
  asio::io_context io{1};
  std::optional<Result<T>> result;
  auto on_end = [&result](std::exception_ptr failure, Result<T> value) {
    if (!failure) result.emplace(std::move(value));
  };
  asio::co_spawn(io, std::move(task), on_end);
  try {
    io.run();
  } catch (const std::exception& error) {
    return Fail(ErrorCode::kInternal, error.what());
  }
  if (!result) return Fail(ErrorCode::kInternal, "fetch failed");
  return *std::move(result);
}

}  // namespace

Task<Result<ClientResponse>> Fetch(ClientRequest request) {
  if (request.total_timeout.count() > 0) co_return co_await FetchWithin(std::move(request));
  co_return co_await FetchWhole(std::move(request));
}

Task<Result<ClientResponse>> FetchOver(UniqueFd connection, ClientRequest request) {
  std::size_t bytes_max = request.body_bytes_max;
  ASSIGN_OR_CO_RETURN(Url url, ParseUrlOrPath(request.url), "fetch");
  ASSIGN_OR_CO_RETURN(
      auto exchange,
      co_await StartOverConnection(std::move(connection), std::move(request), std::move(url)),
      "fetch");
  co_return co_await ReadWholeBody(std::move(exchange), bytes_max);
}

Task<Result<std::unique_ptr<StreamingResponse>>> FetchStream(ClientRequest request) {
  ASSIGN_OR_CO_RETURN(std::unique_ptr<StreamingResponse> response,
                      co_await StartAtUrl(std::move(request)), "fetch");
  co_return response;
}

Task<Result<std::unique_ptr<StreamingResponse>>> FetchStreamOver(UniqueFd connection,
                                                                 ClientRequest request) {
  ASSIGN_OR_CO_RETURN(Url url, ParseUrlOrPath(request.url), "fetch");
  ASSIGN_OR_CO_RETURN(
      std::unique_ptr<StreamingResponse> response,
      co_await StartOverConnection(std::move(connection), std::move(request), std::move(url)),
      "fetch");
  co_return response;
}

Result<ClientResponse> FetchBlocking(ClientRequest request) {
  return RunBlocking(Fetch(std::move(request)));
}

Status FetchStreamBlocking(ClientRequest request, StreamCallbacks callbacks) {
  return RunBlocking(RunCallbacks(std::move(request), std::move(callbacks)));
}

}  // namespace viv::http
