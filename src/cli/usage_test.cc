#include "cli/usage.h"

#include <gtest/gtest.h>

namespace viv::cli {
namespace {

TEST(NearestTest, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"serve", "ls", "key", "world", "template", "snapshot"};
  EXPECT_EQ(Nearest("serv", known), "serve");
  EXPECT_EQ(Nearest("sevre", known), "serve");
  EXPECT_EQ(Nearest("sl", known), "ls");
  EXPECT_EQ(Nearest("KEY", known), "key");
  EXPECT_EQ(Nearest("templates", known), "template");
  EXPECT_EQ(Nearest("snap", known), "snapshot");
  EXPECT_EQ(Nearest("nonsense", known), "");
  EXPECT_EQ(Nearest("", known), "");
  EXPECT_EQ(Nearest(std::string(100'000, 'a'), known), "");
}

}  // namespace
}  // namespace viv::cli
