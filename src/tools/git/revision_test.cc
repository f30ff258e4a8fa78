#include "tools/git/revision.h"

#include <gtest/gtest.h>

namespace viv::tools::git {
namespace {

std::string WhyNoName(const std::string& reference) {
  auto checked = CheckReferenceName(reference);
  return checked ? "" : checked.error().message;
}

TEST(RevisionTest, ReferenceNamesAreGits) {
  EXPECT_EQ(WhyNoName("refs/heads/a/b-c.d"), "");
  EXPECT_EQ(WhyNoName("refs/heads/a..b"),
            "Invalid reference 'refs/heads/a..b': references cannot contain '..'");
  for (const char* name : {"refs/heads/", "refs/heads/a b", "refs/heads/.a", "refs/heads/a.lock",
                           "refs/heads/a.", "refs/heads//a", "refs/heads/a@{b", "refs/heads/a\x01",
                           "refs/heads/a.lock/b", "refs/heads/a\\b", "refs/heads/a:b"})
    EXPECT_NE(WhyNoName(name), "") << name;
}

TEST(RevisionTest, OptionsAreNoNames) {
  EXPECT_TRUE(RefuseOption("target", "main"));
  EXPECT_EQ(
      RefuseOption("target", "--output=x").error().message,
      "Ref 'Invalid target: '--output=x' - cannot start with '-'' did not resolve to an object");
}

}  // namespace
}  // namespace viv::tools::git
