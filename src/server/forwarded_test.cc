#include "server/forwarded.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace viv::server {
namespace {

// The URL that the server believes to have been called.
std::string UrlSeen(const std::vector<std::string>& trusted, http::Request request) {
  auto proxies = TrustedProxies::Read(trusted);
  EXPECT_TRUE(proxies);
  std::string seen;
  http::Handler handler = Forwarded(*proxies)([&seen](http::Request& it) -> Task<http::Response> {
    seen = it.BaseUrl();
    co_return http::Empty(200);
  });
  boost::asio::io_context io;
  auto done = boost::asio::co_spawn(io, handler(request), boost::asio::use_future);
  io.run();
  done.get();
  return seen;
}

http::Request Through(std::string remote, std::string host, std::string forwarded_host) {
  http::Request request;
  request.remote = std::move(remote);
  request.headers.Add("Host", std::move(host));
  request.headers.Add("X-Forwarded-Proto", "https");
  if (!forwarded_host.empty()) request.headers.Add("X-Forwarded-Host", std::move(forwarded_host));
  return request;
}

TEST(ForwardedTest, OnlyTrustedAddressesAreBelieved) {
  const std::vector<std::string> trusted = {"127.0.0.0/8", "::1", "10.1.0.0/16"};
  EXPECT_EQ(UrlSeen(trusted, Through("127.0.0.1", "viv.example", "")), "https://viv.example");
  EXPECT_EQ(UrlSeen(trusted, Through("::1", "viv.example", "")), "https://viv.example");
  EXPECT_EQ(UrlSeen(trusted, Through("10.1.2.3", "viv.example", "")), "https://viv.example");
  EXPECT_EQ(UrlSeen(trusted, Through("10.2.2.3", "viv.example", "")), "http://viv.example");
  EXPECT_EQ(UrlSeen(trusted, Through("", "viv.example", "")), "http://viv.example");
  EXPECT_EQ(UrlSeen({}, Through("127.0.0.1", "viv.example", "")), "http://viv.example");
}

TEST(ForwardedTest, TheForwardedHostReplacesAnAddressAndNoName) {
  const std::vector<std::string> trusted = {"127.0.0.1"};
  EXPECT_EQ(UrlSeen(trusted, Through("127.0.0.1", "127.0.0.1:7373", "viv.example")),
            "https://viv.example");
  EXPECT_EQ(UrlSeen(trusted, Through("127.0.0.1", "[::1]:7373", "a.example, viv.example")),
            "https://viv.example");
  // A page that rebound its own name to this machine cannot pass for it.
  EXPECT_EQ(UrlSeen(trusted, Through("127.0.0.1", "evil.example", "localhost")),
            "https://evil.example");
}

TEST(ForwardedTest, WhatIsNoAddressIsRefused) {
  EXPECT_FALSE(TrustedProxies::Read({"proxy.example"}));
  EXPECT_FALSE(TrustedProxies::Read({"10.0.0.0/33"}));
  EXPECT_FALSE(TrustedProxies::Read({"10.0.0.1:80"}));
}

}  // namespace
}  // namespace viv::server
