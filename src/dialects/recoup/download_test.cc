#include "dialects/recoup/download.h"

#include <arpa/inet.h>

#include <thread>

#include "dialects/recoup/test_support.h"
#include "http/client_tls.h"

namespace viv::recoup {
namespace {

// Answers one connection after the other with what it was given, on a port of its own.
class Listener {
 public:
  explicit Listener(std::vector<std::string> answers) {
    socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, answers = std::move(answers)] {
      for (const std::string& response : answers) {
        UniqueFd peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!peer) return;
        char request[4096];
        if (::read(peer.get(), request, sizeof request) <= 0) continue;
        [[maybe_unused]] ssize_t written =
            ::send(peer.get(), response.data(), response.size(), MSG_NOSIGNAL);
      }
    });
  }
  ~Listener() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    thread_.join();
  }
  int port() const { return port_; }
  std::string url(std::string path = "/f") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

 private:
  UniqueFd socket_;
  int port_ = 0;
  std::thread thread_;
};

std::string Page(std::string body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string Redirect(const std::string& to) {
  return "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n";
}

// No server here speaks TLS.
class NoTls final : public http::ClientTls {
 public:
  Task<Result<std::unique_ptr<http::Transport>>> Secure(http::StreamSocket, std::string) override {
    co_return Fail(ErrorCode::kUnavailable, "no TLS");
  }
};

Result<std::string> Get(std::string url, DownloadOptions options = {}) {
  NoTls tls;
  options.tls = &tls;
  return RunTask(Download(std::move(url), std::move(options)));
}
DownloadOptions Opening(const std::vector<std::string>& entries) {
  DownloadOptions options;
  options.dial_guard = *network::DialGuard::Compile(entries);
  return options;
}
DownloadOptions Opened() {
  return Opening({"127.0.0.0/8"});
}

TEST(DownloadTest, PrivateAddressesAreNotDialled) {
  for (const char* url :
       {"http://127.0.0.1/", "http://localhost:1/", "http://10.0.0.1/", "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
        "http://0.0.0.0/", "http://2130706433/", "https://127.0.0.1/"}) {
    auto got = Get(url);
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.error().code, ErrorCode::kPermissionDenied) << url << got.error().message;
  }
}

TEST(DownloadTest, WhoOpensEverythingDoesNotOpenThisMachineItself) {
  Listener listener({Page("secret")});
  for (const char* url : {"http://127.0.0.1:%/", "http://localhost:%/", "http://0.0.0.0:%/",
                          "http://[::ffff:127.0.0.1]:%/"}) {
    std::string with_port = url;
    with_port.replace(with_port.find('%'), 1, std::to_string(listener.port()));
    auto got = Get(with_port, Opening({"0.0.0.0/0"}));
    ASSERT_FALSE(got) << url;
    EXPECT_EQ(got.error().code, ErrorCode::kPermissionDenied) << got.error().message;
  }
}

TEST(DownloadTest, WhatTheOperatorOpenedIsFetched) {
  Listener listener({Page("hello")});
  EXPECT_EQ(Get(listener.url(), Opened()), "hello");
}

TEST(DownloadTest, FollowsRedirectsButNotIntoThePrivate) {
  Listener target({Page("found")});
  Listener listener({Redirect(target.url()), Redirect("http://10.0.0.1/")});
  EXPECT_EQ(Get(listener.url(), Opened()), "found");
  auto refused = Get(listener.url(), Opened());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
}

TEST(DownloadTest, RedirectsHaveAnEnd) {
  std::vector<std::string> round(6, Redirect("/again"));
  Listener listener(round);
  auto got = Get(listener.url(), Opened());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "too many redirects");
}

TEST(DownloadTest, SizeIsLimitedWhetherItIsToldOrNot) {
  Listener listener({Page(std::string(2000, 'x')),
                     "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(2000, 'x')});
  DownloadOptions options = Opened();
  options.bytes_max = 1000;
  for (int i = 0; i < 2; ++i) {
    auto got = Get(listener.url(), options);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kLimitExceeded);
  }
}

TEST(DownloadTest, OtherAnswersAreErrors) {
  Listener listener({"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                     "no http at all\r\n\r\n", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"});
  EXPECT_EQ(Get(listener.url(), Opened()).error().message, "the server answered with status 404");
  EXPECT_FALSE(Get(listener.url(), Opened()));
  EXPECT_FALSE(Get(listener.url(), Opened()));
}

TEST(DownloadTest, DataUrlsCarryTheirBytes) {
  EXPECT_EQ(Get("data:,a%20b"), "a b");
  EXPECT_EQ(Get("data:text/plain;charset=utf-8,x"), "x");
  EXPECT_EQ(Get("DATA:text/plain;base64,aGVsbG8="), "hello");
  for (const char* bad : {"data:", "data:text/plain", "data:;base64,***", "data:,%zz"})
    EXPECT_FALSE(Get(bad)) << bad;
  DownloadOptions small;
  small.bytes_max = 4;
  EXPECT_FALSE(Get("data:,12345", small));
}

}  // namespace
}  // namespace viv::recoup
