#include "gateway/requested_host.h"

#include <gtest/gtest.h>

namespace viv::gateway {
namespace {

TEST(RequestedHostTest, ReadsNamesAndAddresses) {
  struct Case {
    std::string text, host;
    std::optional<std::uint16_t> port;
  };
  for (const Case& good : std::vector<Case>{{"Example.COM", "example.com", {}},
                                            {"example.com.", "example.com", {}},
                                            {"example.com:443", "example.com", 443},
                                            {"example.com:", "example.com", {}},
                                            {"a_b.example", "a_b.example", {}},
                                            {"192.0.2.1:80", "192.0.2.1", 80},
                                            {"[2001:DB8::1]", "2001:db8::1", {}},
                                            {"[2001:db8::1]:8443", "2001:db8::1", 8443}}) {
    auto read = ReadRequestedHost(good.text);
    ASSERT_TRUE(read) << good.text;
    EXPECT_EQ(read->host, good.host);
    EXPECT_EQ(read->port, good.port);
  }
}

TEST(RequestedHostTest, RefusesWhatTwoReadersCouldReadDifferently) {
  for (std::string bad : {"", ".", ":80", "user@example.com", "example.com:80:80", "example.com:0",
                          "example.com:65536", "example.com:-1", "example.com: 80",
                          "example.com/path", "exa mple.com", "[2001:db8::1", "[2001:db8::1]x",
                          "[example.com]", "2001:db8::1", "ex\xc3\xa4mple.com", "a,b", "a%2eb"}) {
    EXPECT_FALSE(ReadRequestedHost(bad)) << bad;
  }
  EXPECT_FALSE(ReadRequestedHost(std::string(300, 'a')));
  EXPECT_FALSE(ReadRequestedHost(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace viv::gateway
