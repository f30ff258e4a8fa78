#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "http/server_test_support.h"
#include "http/tls_test_support.h"

namespace viv::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;
using ::testing::EndsWith;
using ::testing::StartsWith;

Task<Response> TlsEcho(Request& request) {
  co_return Text(200, (request.secure ? "secure " : "open ") + request.body);
}

std::string Talk(const SelfSigned& trusted, std::uint16_t port, const std::string& request) {
  asio::io_context io;
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.load_verify_file(trusted.certificate_path());
  context.set_verify_mode(asio::ssl::verify_peer);
  asio::ssl::stream<tcp::socket> stream(io, context);
  stream.next_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
  stream.handshake(asio::ssl::stream_base::client);
  asio::write(stream, asio::buffer(request));
  std::string answer;
  error_code end;
  asio::read(stream, asio::dynamic_buffer(answer), end);
  EXPECT_EQ(end, asio::error::eof);  // close_notify, not a truncation
  return answer;
}

TEST(ServerTlsTest, ServesOverTls) {
  SelfSigned identity;
  RunningServer server(TlsEcho, identity.Options());
  std::string body(100'000, 'b');
  std::string answer = Talk(identity, server->port(),
                            "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("secure " + body));
}

TEST(ServerTlsTest, AnswersPipelinedRequests) {
  SelfSigned identity;
  RunningServer server(TlsEcho, identity.Options());
  std::string answer = Talk(identity, server->port(),
                            "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                            "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("secure HTTP/1.1 200"), std::string::npos);
}

TEST(ServerTlsTest, ClosesOnAPlainRequest) {
  SelfSigned identity;
  RunningServer server(TlsEcho, identity.Options());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.EndSending();
  EXPECT_EQ(client.ReadToEnd().find("HTTP/1.1"), std::string::npos);
}

TEST(ServerTlsTest, GivesUpOnASilentHandshake) {
  SelfSigned identity;
  ServerOptions options = identity.Options();
  options.header_timeout = std::chrono::milliseconds(20);
  RunningServer server(TlsEcho, std::move(options));
  RawClient client(server->port());
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerTlsTest, RefusesFilesThatAreNone) {
  SelfSigned identity;
  ServerOptions options;
  options.tls = std::make_unique<TlsFiles>(TlsFiles{"/nowhere.pem", identity.key_path()});
  EXPECT_FALSE(Server::Create(std::move(options), TlsEcho, nullptr));
  ServerOptions swapped;
  swapped.tls = std::make_unique<TlsFiles>(
      TlsFiles{identity.certificate_path(), identity.certificate_path()});
  EXPECT_FALSE(Server::Create(std::move(swapped), TlsEcho, nullptr));
}

TEST(ServerTlsTest, ServesPlainAndTlsPortsWithOneHandler) {
  SelfSigned identity;
  ServerOptions options;
  options.tls_library = &OpenSsl();
  options.extra.resize(1);
  options.extra[0].tls =
      std::make_unique<TlsFiles>(TlsFiles{identity.certificate_path(), identity.key_path()});
  RunningServer server(TlsEcho, std::move(options));
  std::string request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  EXPECT_THAT(Talk(identity, server->ports()[1], request), EndsWith("secure "));
  RawClient plain(server->port());
  plain.Send(request);
  EXPECT_THAT(plain.ReadToEnd(), EndsWith("open "));
}

TEST(ServerTlsTest, StreamsABodyBothWaysAtOnce) {
  SelfSigned identity;
  ServerOptions options = identity.Options();
  options.streams_body = [](const Request&) { return true; };
  auto echo = [](Request& request) -> Task<Response> {
    Response response;
    response.stream = [&request](BodyWriter& writer) -> Task<void> {
      for (;;) {
        Result<std::string> piece = co_await request.body_stream->Read();
        if (!piece || piece->empty()) co_return;
        Status written = co_await writer.Write(*std::move(piece));
        if (!written) co_return;
      }
    };
    co_return response;
  };
  RunningServer server(echo, std::move(options));
  std::string body(300'000, 'Z');
  std::string answer = Talk(identity, server->port(),
                            "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(std::count(answer.begin(), answer.end(), 'Z'), 300'000);
  EXPECT_THAT(answer, EndsWith("\r\n0\r\n\r\n"));
}

}  // namespace
}  // namespace viv::http
