#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/relay_test_support.h"
#include "http/tls_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

Task<Response> SecureEcho(Request& request) {
  co_return Text(200, (request.secure ? "secure " : "open ") + request.body);
}

UniqueFd ConnectLocal(std::uint16_t port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// Whatever the certificate says.
TEST(RelayTlsTest, TalksTlsToTheUpstream) {
  SelfSigned identity;
  RunningServer inner(SecureEcho, identity.Options());
  auto pass = [&inner](Request& request) -> Task<Response> {
    RelayOptions options;
    options.transport = RelayOptions::Transport::kTls;
    options.tls_library = &OpenSsl();
    options.host = "other.test:8443";
    UniqueFd upstream = ConnectLocal(inner->port());
    Result<Response> response = co_await Relay(request, std::move(upstream), std::move(options));
    co_return response ? *std::move(response) : Text(502, response.error().message);
  };
  RunningServer outer(pass, StreamEveryBody());
  RawClient client(outer->port());
  for (std::size_t size : {5, 2 << 20}) {
    std::string body(size, 'b');
    client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) +
                "\r\n\r\n" + body);
    EXPECT_EQ(client.ReadResponse().body, "secure " + body);
  }
}

TEST(RelayTlsTest, AnUpstreamWithoutTlsIsUnavailable) {
  RelayOptions options;
  options.transport = RelayOptions::Transport::kTls;
  options.tls_library = &OpenSsl();
  RelayRig rig(ConnectTcpPair(), options);
  rig.client->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(rig.Failure().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace viv::http
