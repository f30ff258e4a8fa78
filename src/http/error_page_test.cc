#include "http/error_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ErrorPageTest, PeopleAreToldByTheirBrowsersNavigation) {
  Request request;
  EXPECT_FALSE(IsBrowserNavigation(request));
  request.headers.Set("User-Agent", "curl/8.0");
  EXPECT_FALSE(IsBrowserNavigation(request));
  request.headers.Set("User-Agent", "Mozilla/5.0 (X11)");
  EXPECT_TRUE(IsBrowserNavigation(request));
  request.headers.Set("Accept", "text/html, application/json");
  EXPECT_FALSE(IsBrowserNavigation(request));
  request.headers.Set("Accept", "text/html");
  request.headers.Set("Sec-Fetch-Mode", "cors");
  EXPECT_FALSE(IsBrowserNavigation(request));
  request.headers.Set("Sec-Fetch-Mode", "navigate");
  EXPECT_TRUE(IsBrowserNavigation(request));
}

TEST(ErrorPageTest, ShowsMarkupInsteadOfObeyingIt) {
  Response page = ErrorPage(502, "<b>\"a\" & b</b>", "<script>alert(1)</script>");
  EXPECT_EQ(page.status, 502);
  EXPECT_EQ(page.headers.Get("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(page.body, HasSubstr("<h1>&lt;b&gt;&quot;a&quot; &amp; b&lt;/b&gt;</h1>"));
}

}  // namespace
}  // namespace viv::http
