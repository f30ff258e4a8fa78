#include "http/url.h"

#include <gtest/gtest.h>

namespace viv::http {
namespace {

TEST(UrlTest, IsTakenApart) {
  auto url = ParseUrl("HTTPS://Example.com:8443/a/b?c=d#e");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->secure);
  EXPECT_EQ(url->host, "Example.com");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->target, "/a/b?c=d");
  EXPECT_EQ(ParseUrl("http://[::1]:80?x")->host, "::1");
  EXPECT_EQ(ParseUrl("http://[::1]:80?x")->target, "/?x");
  EXPECT_EQ(ParseUrl("https://h")->port, "443");
}

TEST(UrlTest, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "http:", "http://", "ftp://h/", "file:///etc/passwd", "http://u@h/", "http://h:0/",
        "http://h:70000/", "http://h:/", "http://h x/", "http://[::1/", "http://[::1]x/",
        "gopher://h", "http:/h", "http://good\\@evil/", "http://h\\x/", "//h", "http://h/\r\nX: y"})
    EXPECT_FALSE(ParseUrl(bad)) << bad;
}

TEST(UrlTest, RedirectsAreRelativeToWhereTheyComeFrom) {
  Url from = *ParseUrl("https://h:444/a/b?q=/z");
  auto leads = [&from](std::string_view to) {
    auto url = ResolveRedirect(from, to);
    return url ? (url->secure ? "s " : "p ") + url->authority + " " + url->target : "";
  };
  EXPECT_EQ(leads("c"), "s h:444 /a/c");
  EXPECT_EQ(leads("/c?d"), "s h:444 /c?d");
  EXPECT_EQ(leads("//other/x"), "s other /x");
  EXPECT_EQ(leads("http://other/x"), "p other /x");
  EXPECT_EQ(leads(""), "");
  EXPECT_EQ(leads("file:///etc/passwd"), "");
}

}  // namespace
}  // namespace viv::http
