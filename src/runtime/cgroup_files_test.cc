#include "runtime/cgroup_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace viv::runtime {
namespace {

TEST(CgroupFilesTest, FindsTheNumberOfAWholeKey) {
  constexpr char kText[] = "populated 1\nfrozen_x 7\nfrozen 0\n";
  EXPECT_EQ(FindKeyed(kText, "populated"), 1);
  EXPECT_EQ(FindKeyed(kText, "frozen"), 0);
  EXPECT_EQ(FindKeyed(kText, "froz"), std::nullopt);
  EXPECT_EQ(FindKeyed("", "frozen"), std::nullopt);
  EXPECT_EQ(FindKeyed("frozen", "frozen"), std::nullopt);
  EXPECT_EQ(FindKeyed("frozen x\n", "frozen"), std::nullopt);
}

TEST(CgroupFilesTest, ReadsANumberAndNothingElse) {
  EXPECT_EQ(ReadNumber("4096\n"), 4096);
  EXPECT_EQ(ReadNumber("-1\n"), -1);
  for (const char* bad : {"", "\n", "max\n", "12x", "1 2"})
    EXPECT_EQ(ReadNumber(bad), std::nullopt) << bad;
}

TEST(CgroupFilesTest, ReadsAFileWhole) {
  auto text = ReadKernelFile(AT_FDCWD, "/proc/self/mountinfo");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(" / "), std::string::npos);
}

TEST(CgroupFilesTest, TellsAMissingFileFromOthers) {
  auto missing = ReadKernelFile(AT_FDCWD, "/proc/self/no-such-file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("no-such-file"), std::string::npos);
  Status written = WriteKernelFile(AT_FDCWD, "/proc/self/no-such-file", "1");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(KernelFileExists(AT_FDCWD, "/proc/self/no-such-file"));
}

}  // namespace
}  // namespace viv::runtime
