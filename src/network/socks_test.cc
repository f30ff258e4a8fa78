#include "network/socks.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>

#include "network/socks_test_support.h"

namespace viv::network {
namespace {

const Endpoint kWanted = EndpointOf("192.0.2.7", 443);

// Negotiates over a socket pair whose other end `proxy_side` serves, and reads to the end.
struct Asked {
  Status status;
  std::string rest;
};

Task<void> AskAndRead(Stream& stream,
                      const SocksProxy& proxy,
                      std::string host,
                      Endpoint destination,
                      std::chrono::milliseconds timeout,
                      Asked& asked) {
  asked.status = co_await ConnectThroughSocks(stream, proxy, std::move(host), destination, timeout);
  if (asked.status) asked.rest = co_await ReadFully(stream, 100);
}

Asked Ask(const std::function<void(int fd)>& proxy_side,
          const SocksProxy& proxy = {},
          const std::string& host = "",
          Endpoint destination = kWanted,
          std::chrono::milliseconds timeout = kSocksTimeout) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  UniqueFd ours(ends[0]), theirs(ends[1]);
  std::thread server([&] {
    proxy_side(theirs.get());
    theirs = UniqueFd();
  });
  Asked asked;
  {
    asio::io_context io;
    Stream stream = AdoptStream(io, std::move(ours));
    asio::co_spawn(io, AskAndRead(stream, proxy, host, destination, timeout, asked),
                   [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    io.run();
  }
  server.join();
  return asked;
}

std::string ErrorOf(const Asked& asked) {
  return asked.status ? "none" : asked.status.error().message;
}

// Chooses no authentication, reads a request of that size and sends this reply.
auto Answering(std::string answer, std::string* request = nullptr, std::size_t size = 10) {
  return [=](int fd) {
    ReceiveExactly(fd, 3);
    WriteAll(fd, std::string("\x05\x00", 2));
    std::string got = ReceiveExactly(fd, size);
    if (request != nullptr) *request = got;
    WriteAll(fd, answer);
  };
}

TEST(SocksTest, AsksForAnAddressAndLeavesTheRestUnread) {
  std::string request;
  std::string answer("\x05\x00\x00\x01\x01\x02\x03\x04\x00\x50hello", 15);
  Asked asked = Ask(Answering(answer, &request));
  ASSERT_TRUE(asked.status) << ErrorOf(asked);
  EXPECT_EQ(request, std::string("\x05\x01\x00\x01\xc0\x00\x02\x07\x01\xbb", 10));
  EXPECT_EQ(asked.rest, "hello");
}

TEST(SocksTest, AsksForAnIpv6Address) {
  std::string request;
  std::string answer = std::string("\x05\x00\x00\x04", 4) + std::string(18, 'x') + "hello";
  Asked asked = Ask(Answering(answer, &request, 22), {}, "", EndpointOf("2001:db8::1", 80));
  ASSERT_TRUE(asked.status) << ErrorOf(asked);
  EXPECT_EQ(request.substr(0, 4), std::string("\x05\x01\x00\x04", 4));
  EXPECT_EQ(AddressFromRaw(request.substr(4, 16)).Text(), "2001:db8::1");
  EXPECT_EQ(asked.rest, "hello");
}

TEST(SocksTest, AsksForANameWhenThereIsOne) {
  std::string request;
  std::string answer = std::string("\x05\x00\x00\x03\x04name\x00\x50hello", 16);
  Asked asked = Ask(Answering(answer, &request, 16), {}, "a.example");
  ASSERT_TRUE(asked.status) << ErrorOf(asked);
  EXPECT_EQ(request, std::string("\x05\x01\x00\x03\x09"
                                 "a.example\x01\xbb",
                                 16));
  EXPECT_EQ(asked.rest, "hello");
}

TEST(SocksTest, SaysWhoItIsWhenAsked) {
  std::string greeting, password;
  SocksProxy proxy{"p", 1080, "me", "secret"};
  auto accept = [&](int fd) {
    greeting = ReceiveExactly(fd, 4);
    WriteAll(fd, "\x05\x02");
    password = ReceiveExactly(fd, 11);
    WriteAll(fd, std::string("\x01\x00", 2));
    ReceiveExactly(fd, 10);
    WriteAll(fd, std::string("\x05\x00\x00\x01\0\0\0\0\0\0", 10));
  };
  Asked asked = Ask(accept, proxy);
  EXPECT_TRUE(asked.status) << ErrorOf(asked);
  EXPECT_EQ(greeting, std::string("\x05\x02\x00\x02", 4));
  EXPECT_EQ(password, "\x01\x02me\x06secret");
}

TEST(SocksTest, AWrongPasswordIsToldWithoutIt) {
  SocksProxy proxy{"p", 1080, "me", "secret"};
  Asked asked = Ask(
      [](int fd) {
        ReceiveExactly(fd, 4);
        WriteAll(fd, "\x05\x02");
        ReceiveExactly(fd, 11);
        WriteAll(fd, "\x01\x01");
      },
      proxy);
  EXPECT_EQ(ErrorOf(asked), "it refused the user name and password; check them");
}

TEST(SocksTest, AMethodNobodyOfferedIsRefused) {
  auto choose = [](char method) {
    return [method](int fd) {
      ReceiveExactly(fd, 3);
      WriteAll(fd, std::string{5, method});
    };
  };
  EXPECT_EQ(ErrorOf(Ask(choose(2))), "it wants a user name and a password");
  EXPECT_EQ(ErrorOf(Ask(choose(1))), "it wants a user name and a password");
  EXPECT_EQ(ErrorOf(Ask(choose('\xff'))), "it wants a user name and a password");
  SocksProxy proxy{"p", 1080, "me", ""};
  EXPECT_EQ(ErrorOf(Ask(choose('\xff'), proxy)), "it takes no user name and password");
}

TEST(SocksTest, EveryRefusalHasItsReason) {
  for (int code = 1; code < 256; ++code) {
    std::string answer("\x05\x00\x00\x01\0\0\0\0\0\0", 10);
    answer[1] = static_cast<char>(code);
    Asked asked = Ask(Answering(answer));
    ASSERT_FALSE(asked.status) << code;
    EXPECT_EQ(asked.status.error().code, ErrorCode::kUnavailable);
    EXPECT_FALSE(asked.status.error().message.empty());
    std::string expected = code == 2    ? "its rules forbid the connection"
                           : code == 99 ? "it answered with code 99"
                                        : asked.status.error().message;
    EXPECT_EQ(ErrorOf(asked), expected);
  }
}

TEST(SocksTest, GarbageIsNoProxy) {
  auto http = [](int fd) {
    ReceiveExactly(fd, 3);
    WriteAll(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
  };
  EXPECT_EQ(ErrorOf(Ask(http)), "it does not speak SOCKS5");
  EXPECT_EQ(ErrorOf(Ask(Answering("garbage garbage"))), "it does not speak SOCKS5");
  EXPECT_EQ(ErrorOf(Ask(Answering(std::string("\x05\x00\x00\x07xxxxxxxx", 12)))),
            "its answer cannot be read");
  SocksProxy proxy{"p", 1080, "me", "secret"};
  EXPECT_EQ(ErrorOf(Ask(
                [](int fd) {
                  ReceiveExactly(fd, 4);
                  WriteAll(fd, "\x05\x02");
                  ReceiveExactly(fd, 11);
                  WriteAll(fd, std::string("\x05\x00", 2));
                },
                proxy)),
            "it does not speak SOCKS5");
}

TEST(SocksTest, HangingUpAnywhereIsAFailure) {
  EXPECT_FALSE(Ask([](int) {}).status);
  EXPECT_FALSE(Ask([](int fd) { WriteAll(fd, "\x05"); }).status);
  std::string answer("\x05\x00\x00\x03\x04name\x00\x50", 11);
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_FALSE(Ask(Answering(answer.substr(0, size))).status) << size;
}

TEST(SocksTest, AProxyThatHangsIsGivenUp) {
  Asked asked =
      Ask([](int fd) { ReceiveExactly(fd, 100); }, {}, "", kWanted, std::chrono::milliseconds(20));
  EXPECT_EQ(ErrorOf(asked), "it did not answer the greeting");
}

TEST(SocksTest, TextsLongerThanTheProtocolTakesAreNotSent) {
  const std::string long_text(256, 'x');
  for (const SocksProxy& proxy :
       {SocksProxy{"p", 1, long_text, ""}, SocksProxy{"p", 1, "", long_text}})
    EXPECT_EQ(Ask([](int) {}, proxy).status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Ask([](int) {}, {}, long_text).status.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace viv::network
