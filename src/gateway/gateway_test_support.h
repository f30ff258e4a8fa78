#pragma once
// For tests of the whole gateway: a guest and an origin on real sockets with real TLS, all on the
// test's own thread. The gateway trusts the authority of the origin's certificate; the guest trusts
// only the gateway's.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "gateway/box_gateway.h"
#include "gateway/gateway.h"
#include "gateway/http/connections.h"
#include "gateway/http/http1_test_support.h"
#include "gateway/tls/alpn.h"
#include "gateway/tls/tls_test_support.h"
#include "http/await_tuple.h"

namespace viv::gateway {

// A request as the origin received it.
struct SeenRequest {
  RequestHead head;
  std::string body;
};

class TestOriginServer {
 public:
  struct Offer {
    std::shared_ptr<SSL_CTX> context;  // nullptr: plain HTTP
    bool http2 = false;
  };
  TestOriginServer(asio::io_context& io, Offer offer)
      : offer_(std::move(offer)), acceptor_(io, {asio::ip::make_address("127.0.0.1"), 0}) {
    asio::co_spawn(io, Accept(), asio::detached);
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  std::vector<SeenRequest> seen;
  int accepted = 0;
  int ended = 0;        // of the accepted connections
  bool silent = false;  // reads requests and does not respond

 private:
  Task<void> Accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(http::kTuple);
      if (error) co_return;
      ++accepted;
      http::StreamSocket stream(std::move(socket));
      asio::co_spawn(acceptor_.get_executor(), ServeOne(std::move(stream)), asio::detached);
    }
  }
  Task<void> ServeOne(http::StreamSocket socket) {
    ExchangeHandler serve = [this](std::shared_ptr<GuestExchange> exchange) {
      return Respond(std::move(exchange));
    };
    TlsConnection secured;
    if (offer_.context == nullptr) {
      secured.transport = http::MakePlainTransport(std::move(socket));
    } else {
      std::string nothing;
      std::shared_ptr<SSL_CTX> context = offer_.context;
      auto handshake = co_await AcceptTls(std::move(socket), std::move(nothing), std::move(context),
                                          offer_.http2);
      if (!handshake) co_return;
      secured = *std::move(handshake);
    }
    std::string none;
    if (secured.http2) {
      co_await ServeHttp2(*secured.transport, std::move(none), std::move(serve));
    } else {
      co_await ServeHttp1(*secured.transport, std::move(none), std::move(serve));
    }
    ++ended;
  }
  Task<void> Respond(std::shared_ptr<GuestExchange> exchange);

  const Offer offer_;
  asio::ip::tcp::acceptor acceptor_;
};

// "/echo" returns the body, "/large" a million bytes, and an upgrade echoes bytes in angle
// brackets.
inline Task<void> TestOriginServer::Respond(std::shared_ptr<GuestExchange> exchange) {
  SeenRequest request{exchange->head(), ""};
  for (;;) {
    auto piece = co_await exchange->ReadBody();
    if (!piece || piece->empty()) break;
    request.body += *piece;
  }
  seen.push_back(request);
  if (silent) {
    asio::steady_timer forever(acceptor_.get_executor(),
                               std::chrono::steady_clock::time_point::max());
    exchange->on_gone = [&forever] { forever.cancel(); };
    co_await forever.async_wait(http::kTuple);
    co_return;
  }
  ResponseHead head;
  head.status = request.head.upgrade.empty() ? 200 : 101;
  head.headers.Add("X-Origin", "yes");
  if (head.status == 101) head.headers.Add("Upgrade", request.head.upgrade);
  std::string body = request.head.target == "/echo" ? request.body : "hello";
  if (request.head.target == "/large") body.assign(1'000'000, 'x');
  head.has_body = head.status == 200;
  Status sent = co_await exchange->SendHead(std::move(head));
  if (http::ByteStream* bytes = exchange->upgraded()) {
    for (;;) {
      auto got = co_await bytes->Read();
      if (!got || got->empty()) co_return;
      std::string back = "<" + *got + ">";
      sent = co_await bytes->Write(std::move(back));
    }
  }
  while (sent && !body.empty()) {
    std::string piece = body.substr(0, 50'000);
    body.erase(0, piece.size());
    sent = co_await exchange->SendBody(std::move(piece));
  }
  http::Headers trailers;
  if (sent) sent = co_await exchange->Finish(std::move(trailers));
}

// A flow as the egress would pass it.
class TestInterceptedFlow : public InterceptedFlow {
 public:
  TestInterceptedFlow(asio::io_context& io, UniqueFd guest, std::uint16_t origin_port)
      : io_(io), guest_(std::move(guest)), origin_port_(origin_port) {}

  asio::any_io_executor executor() override { return io_.get_executor(); }
  network::Endpoint destination() const override {
    network::Endpoint endpoint;
    endpoint.port = 443;
    return endpoint;
  }
  UniqueFd ReleaseGuestSocket() override { return std::move(guest_); }
  Task<Result<UniqueFd>> Dial(std::string) override {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(origin_port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      co_return Fail(ErrorCode::kUnavailable, "connection refused");
    }
    co_return fd;
  }
  bool AllowsHost(std::string_view host) const override { return host == "origin.example"; }
  void CountBytes(std::uint64_t out, std::uint64_t in) override {
    bytes_out += out;
    bytes_in += in;
  }
  network::FlowRecord Describe() const override {
    network::FlowRecord record;
    record.address = "192.0.2.1";
    record.port = 443;
    return record;
  }
  void Log(const network::FlowRecord& record) override { records.push_back(record); }
  void OnAbort(std::function<void()> callback) override { on_abort = std::move(callback); }

  std::function<void()> on_abort;
  std::vector<network::FlowRecord> records;
  std::uint64_t bytes_out = 0, bytes_in = 0;

 private:
  asio::io_context& io_;
  UniqueFd guest_;
  const std::uint16_t origin_port_;
};

// Secrets whose values are derived from their names.
class TestSecrets : public SecretSource {
 public:
  Result<std::string> Reveal(const std::string&, const SecretText& text) override {
    if (text.kind == SecretText::Kind::kPlain) return text.text;
    return "revealed " + text.text;
  }
};

}  // namespace viv::gateway
