#include "base/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace viv {
namespace {

// The limits of this process, as they were when the test ends.
class OpenFilesTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0); }
  void TearDown() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  static rlim_t SoftLimit() {
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur;
  }

  rlimit before_{};
};

TEST_F(OpenFilesTest, TakesWhatDebianGivesOnlyWhoAsks) {
  const rlimit low{std::min<rlim_t>(1024, before_.rlim_max / 2), before_.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const std::uint64_t promised = OpenFilesMax();
  EXPECT_GE(promised, 2 * low.rlim_cur);
  EXPECT_EQ(SoftLimit(), low.rlim_cur) << "asking changes nothing";
  EXPECT_EQ(RaiseOpenFileLimit(), promised);
  EXPECT_EQ(SoftLimit(), promised);
  EXPECT_EQ(RaiseOpenFileLimit(), promised) << "a second time changes nothing";
}

TEST_F(OpenFilesTest, NeverLowersWhatIsThere) {
  const rlim_t there = SoftLimit();
  EXPECT_GE(RaiseOpenFileLimit(), there);
  EXPECT_GE(SoftLimit(), there);
}

}  // namespace
}  // namespace viv
