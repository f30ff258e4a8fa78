#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include <filesystem>

#include "base/ids.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

Task<Response> ShowRemote(Request& request) {
  co_return Text(200, "from [" + request.remote + "]");
}

UniqueFd ListenOnTcp() {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(fd.get(), 16), 0);
  return fd;
}

// A unix socket in a directory of its own.
class UnixPlace {
 public:
  UnixPlace() : directory_(std::filesystem::temp_directory_path() / ("viv-unix-" + RandomHex(16))) {
    std::filesystem::create_directory(directory_);
    address_.sun_family = AF_UNIX;
    std::string path = directory_ / "socket";
    path.copy(address_.sun_path, sizeof address_.sun_path - 1);
  }
  ~UnixPlace() { std::filesystem::remove_all(directory_); }

  UniqueFd Listen() {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(fd.get(), address(), sizeof address_), 0);
    EXPECT_EQ(::listen(fd.get(), 16), 0);
    return fd;
  }
  UniqueFd Connect() {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd.get(), address(), sizeof address_), 0);
    return fd;
  }

 private:
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }

  std::filesystem::path directory_;
  sockaddr_un address_{};
};

TEST(ServerListenerTest, ServesAnInheritedUnixSocket) {
  for (unsigned threads : {1u, 3u}) {
    UnixPlace place;
    ServerOptions options;
    options.threads = threads;
    options.listener = place.Listen();
    RunningServer server(ShowRemote, std::move(options));
    EXPECT_EQ(server->port(), 0);
    for (int i = 0; i < 10; ++i) {
      RawClient client(place.Connect());
      for (int j = 0; j < 2; ++j) {
        client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        EXPECT_EQ(client.ReadResponse().body, "from []");
      }
    }
  }
}

TEST(ServerListenerTest, ServesAnInheritedTcpSocket) {
  UniqueFd listener = ListenOnTcp();
  for (unsigned threads : {1u, 2u}) {
    ServerOptions options;
    options.threads = threads;
    options.listener = UniqueFd(::dup(listener.get()));
    RunningServer server(ShowRemote, std::move(options));
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.ReadResponse().body, "from [127.0.0.1]");
  }
}

TEST(ServerListenerTest, AbortsAStreamOverAUnixSocket) {
  UnixPlace place;
  ServerOptions options;
  options.listener = place.Listen();
  auto handler = [](Request&) -> Task<Response> {
    Response response;
    response.stream = [](BodyWriter& writer) -> Task<void> {
      writer.Abort();
      co_return;
    };
    co_return response;
  };
  RunningServer server(handler, std::move(options));
  RawClient client(place.Connect());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\n"));
}

TEST(ServerListenerTest, RefusesADescriptorThatDoesNotListen) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  UniqueFd other(pair[1]);
  ServerOptions options;
  options.listener = UniqueFd(pair[0]);
  auto server = Server::Create(std::move(options), ShowRemote, nullptr);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidArgument);
}

TEST(ServerListenerTest, ServesFurtherPorts) {
  for (unsigned threads : {1u, 2u}) {
    ServerOptions options;
    options.threads = threads;
    options.extra.resize(2);
    RunningServer server(ShowRemote, std::move(options));
    std::vector<std::uint16_t> ports = server->ports();
    ASSERT_EQ(ports.size(), 3u);
    EXPECT_EQ(ports[0], server->port());
    EXPECT_NE(ports[1], ports[2]);
    for (std::uint16_t port : ports) {
      RawClient client(port);
      client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
      EXPECT_THAT(client.ReadResponse().head, StartsWith("HTTP/1.1 200 "));
    }
  }
}

TEST(ServerListenerTest, RefusesAFurtherPortThatIsTaken) {
  RunningServer first(ShowRemote);
  ServerOptions options;
  options.extra.resize(1);
  options.extra[0].port = first->port();
  auto second = Server::Create(std::move(options), ShowRemote, nullptr);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST(ServerListenerTest, RefusesTlsWithoutALibraryForIt) {
  ServerOptions options;
  options.tls = std::make_unique<TlsFiles>(TlsFiles{"certificate.pem", "key.pem"});
  auto server = Server::Create(std::move(options), ShowRemote, nullptr);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace viv::http
