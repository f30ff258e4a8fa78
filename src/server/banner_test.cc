#include "server/banner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::server {
namespace {

using testing::HasSubstr;
using testing::Not;

Banner Example() {
  Banner banner;
  banner.address = "127.0.0.1";
  banner.port = 7373;
  banner.key = "e2b_secret";
  banner.key_file = "/data/key";
  banner.data = "/data";
  return banner;
}

TEST(BannerTest, TheKeyIsShownOnATerminalOnly) {
  Banner banner = Example();
  EXPECT_THAT(BannerText(banner), Not(HasSubstr("e2b_secret")));
  EXPECT_THAT(BannerText(banner), HasSubstr("KEY=$(cat /data/key)"));
  banner.to_terminal = true;
  EXPECT_THAT(BannerText(banner), HasSubstr("Bearer e2b_secret"));
  banner.key_file.clear();
  EXPECT_THAT(BannerText(banner), HasSubstr("Bearer e2b_secret"));
  banner.to_terminal = false;
  EXPECT_THAT(BannerText(banner), Not(HasSubstr("e2b_secret")));
}

TEST(BannerTest, WhoStartedItWithSudoIsToldHowToReadTheKey) {
  Banner banner = Example();
  banner.sudo_user = "alice";
  for (bool terminal : {false, true}) {
    banner.to_terminal = terminal;
    EXPECT_THAT(BannerText(banner),
                HasSubstr("as alice: export VIV_API_KEY=$(sudo cat /data/key)"));
  }
}

TEST(BannerTest, ARevokedKeyIsNotOffered) {
  Banner banner = Example();
  banner.key.clear();
  banner.to_terminal = true;
  EXPECT_THAT(BannerText(banner), HasSubstr("the key in /data/key was revoked"));
}

}  // namespace
}  // namespace viv::server
