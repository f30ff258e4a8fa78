#include "http/relay.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "http/exchange.h"
#include "http/relay_head.h"
#include "http/relay_pipe.h"
#include "http/tls.h"

namespace viv::http {
namespace {

// A body up to this size is sent in one write with its head.
constexpr std::uint64_t kSmallBodyBytes = 16 * 1024;
constexpr Transport::Duration kRelayWriteTimeout{600'000};
constexpr Transport::Duration kRelayResponseTimeout{
    3'600'000};  // the client has the shorter timeout
constexpr Transport::Duration kRelayTick{1'000};

Result<std::unique_ptr<Transport>> MakeUpstream(StreamSocket socket, const RelayOptions& options) {
  if (options.transport == RelayOptions::Transport::kPlain) {
    return MakePlainTransport(std::move(socket));
  }
  if (options.tls_library == nullptr) {
    return Fail(ErrorCode::kInternal, "TLS to the other side needs RelayOptions::tls_library");
  }
  return options.tls_library->Connect(std::move(socket),
                                      options.host.substr(0, options.host.rfind(':')));
}

Exchange::Timing RelayTiming(const Request& request) {
  Exchange::Timing timing;
  timing.write = kRelayWriteTimeout;
  timing.response = kRelayResponseTimeout;
  timing.tick = kRelayTick;
  if (request.client != nullptr) {
    timing.is_abandoned = [client = request.client] { return client->IsClosed(); };
  }
  return timing;
}

Task<Result<std::string>> ReadSmallBody(BodyReader& body) {
  std::string bytes;
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await body.Read());
    if (piece.empty()) co_return bytes;
    bytes += piece;  // the server holds it to its Content-Length
  }
}

Task<Status> SendRequest(Exchange& exchange, Request& request, const RelayOptions& options) {
  RelayedBody body = BodyOf(request);
  std::string head = RelayedRequestHead(request, options, body);
  if (request.body_stream == nullptr || body.kind == RelayedBody::Kind::kNone) {
    exchange.Send(std::move(head), request.body);
    co_return Status();
  }
  if (body.kind == RelayedBody::Kind::kLength && body.bytes <= kSmallBodyBytes) {
    ASSIGN_OR_CO_RETURN(std::string bytes, co_await ReadSmallBody(*request.body_stream));
    exchange.Send(std::move(head), std::move(bytes));
    co_return Status();
  }
  auto framing = body.kind == RelayedBody::Kind::kChunked ? Exchange::BodyFraming::kChunked
                                                          : Exchange::BodyFraming::kBare;
  auto source = [stream = request.body_stream] { return stream->Read(); };
  exchange.Send(std::move(head), source, framing);
  co_return Status();
}

Task<void> RelayBody(std::shared_ptr<Exchange> exchange, BodyWriter& writer) {
  exchange->ReadForever();
  for (;;) {
    Result<std::string> piece = co_await exchange->ReadPiece();
    if (!piece) {
      writer.Abort();
      co_return;
    }
    if (piece->empty()) co_return;
    Status written = co_await writer.Write(*std::move(piece));
    if (!written) co_return;
  }
}

Response RelayedResponse(const Request& request,
                         const ResponseHead& head,
                         std::shared_ptr<Exchange> exchange) {
  Response response;
  response.status = head.status;
  response.headers = RelayedResponseHeaders(head);
  if (request.method == "HEAD") {
    response.stream = [](BodyWriter&) -> Task<void> { co_return; };  // for the head it makes
    return response;
  }
  if (!exchange->has_body()) return response;
  if (std::optional<std::string> body = exchange->WholeBody()) {
    response.body = *std::move(body);
    return response;
  }
  response.stream = [exchange = std::move(exchange)](BodyWriter& writer) {
    return RelayBody(exchange, writer);
  };
  return response;
}

Result<Response> UpgradedResponse(const Request& request,
                                  const ResponseHead& head,
                                  std::shared_ptr<Exchange> exchange) {
  if (!WantsUpgrade(request)) {
    return Fail(ErrorCode::kUnavailable, "relay: an upgrade that nobody asked for");
  }
  std::string_view protocol = head.headers.Get("upgrade");
  Response response;
  response.status = head.status;
  response.headers = RelayedResponseHeaders(head);
  response.headers.Add("Connection", "Upgrade");
  response.headers.Add("Upgrade",
                       std::string(protocol.empty() ? request.headers.Get("upgrade") : protocol));
  response.takeover = [exchange = std::move(exchange)](ByteStream& client) {
    return PipeUpgraded(exchange, client);
  };
  return response;
}

}  // namespace

Task<Result<Response>> Relay(Request& request, UniqueFd upstream, RelayOptions options) {
  auto executor = co_await asio::this_coro::executor;
  ASSIGN_OR_CO_RETURN(StreamSocket socket, AdoptSocket(executor, std::move(upstream)), "relay");
  ASSIGN_OR_CO_RETURN(std::unique_ptr<Transport> transport,
                      MakeUpstream(std::move(socket), options), "relay");
  auto method = request.method == "HEAD" ? ResponseParser::RequestMethod::kHead
                                         : ResponseParser::RequestMethod::kOther;
  auto exchange = std::make_shared<Exchange>(std::move(transport), method, RelayTiming(request));
  if (options.transport == RelayOptions::Transport::kTls) {
    CO_RETURN_IF_ERROR(co_await exchange->Handshake(), "relay");
  }
  CO_RETURN_IF_ERROR(co_await SendRequest(*exchange, request, options), "relay");
  Result<ResponseHead> head = co_await exchange->ReadHead();
  if (!head) {
    Error error = head.error();
    // The client did not cause the other side to exceed our limits.
    if (error.code == ErrorCode::kLimitExceeded) error.code = ErrorCode::kUnavailable;
    co_return PassUp(std::move(error), "relay");
  }
  if (head->status == 101) co_return UpgradedResponse(request, *head, std::move(exchange));
  co_return RelayedResponse(request, *head, std::move(exchange));
}

}  // namespace viv::http
