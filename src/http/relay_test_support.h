#pragma once
// For tests of the relay: a server whose every request goes to an upstream that the test plays.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "http/relay.h"
#include "http/server_test_support.h"

namespace viv::http {

struct ConnectedPair {
  UniqueFd relay;
  UniqueFd upstream;
};

// Over TCP, for a unix socket knows no reset.
inline ConnectedPair ConnectTcpPair() {
  UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), plain, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), plain, &size), 0);
  UniqueFd relay(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(relay.get(), plain, size), 0);
  UniqueFd upstream(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return {std::move(relay), std::move(upstream)};
}

inline ConnectedPair ConnectUnixPair() {
  int pair[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  return {UniqueFd(pair[0]), UniqueFd(pair[1])};
}

inline ServerOptions StreamEveryBody() {
  ServerOptions options;
  options.streams_body = [](const Request&) { return true; };
  return options;
}

// One request's way: `client` asks, `upstream` is what the relay talks to.
class RelayRig {
 public:
  explicit RelayRig(ConnectedPair pair = ConnectTcpPair(),
                    RelayOptions options = {},
                    ServerOptions server_options = StreamEveryBody())
      : relay_end_(std::move(pair.relay)),
        options_(std::move(options)),
        upstream(std::make_unique<RawClient>(std::move(pair.upstream))),
        server([this](Request& request) { return Pass(request); }, std::move(server_options)),
        client(std::make_unique<RawClient>(server->port())) {}

  // Both ends first, so that the server has nothing left to drain.
  ~RelayRig() {
    client.reset();
    upstream.reset();
  }

 private:
  Task<Response> Pass(Request& request) {
    Result<Response> response = co_await Relay(request, std::move(relay_end_), options_);
    if (response) co_return *std::move(response);
    failure_.set_value(response.error());
    co_return Text(502, response.error().message);
  }

  UniqueFd relay_end_;
  const RelayOptions options_;
  std::promise<Error> failure_;

 public:
  Error Failure() { return failure_.get_future().get(); }

  std::unique_ptr<RawClient> upstream;
  RunningServer server;
  std::unique_ptr<RawClient> client;
};

}  // namespace viv::http
