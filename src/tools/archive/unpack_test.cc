#include <sys/file.h>

#include "tools/archive/archive_test_support.h"
#include "tools/archive/staging.h"

namespace viv::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using UnpackTest = ArchiveTest;

TEST_F(UnpackTest, TakesMembersWithAndWithoutADotInFront) {
  const auto done = UnpackBytes(Zipped(Ended(Member("./", '5') + File("./a.txt", "one") +
                                             File("b/c.txt", "two") + Member("e", '5'))));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->files, 2U);
  EXPECT_EQ(done->bytes, 6U);
  EXPECT_THAT(Content(), ElementsAre(Pair("a.txt", "one"), Pair("b", "/"), Pair("b/c.txt", "two"),
                                     Pair("e", "/")));
}

TEST_F(UnpackTest, TakesAPlainTarAndSeveralGzipFilesInARow) {
  const std::string tar = Ended(File("a", "one"));
  ASSERT_TRUE(UnpackBytes(tar));
  const std::string parts = Zipped(tar.substr(0, 700)) + Zipped(tar.substr(700));
  const auto done = UnpackBytes(parts + std::string(100, '\0'));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(Read("a"), "one");
}

TEST_F(UnpackTest, JoinsFoldersAndReplacesFiles) {
  Write("keep/old", "old");
  Write("keep/changed", "old");
  Write("other", "other");
  std::filesystem::create_symlink("other", At("link"));
  ASSERT_TRUE(UnpackBytes(Zipped(
      Ended(File("keep/changed", "new") + File("keep/sub/new", "new") + File("link", "file")))));
  EXPECT_THAT(Content(),
              ElementsAre(Pair("keep", "/"), Pair("keep/changed", "new"), Pair("keep/old", "old"),
                          Pair("keep/sub", "/"), Pair("keep/sub/new", "new"), Pair("link", "file"),
                          Pair("other", "other")));
}

TEST_F(UnpackTest, KeepsModesAndTimesButNotSetuid) {
  TarMember script{.name = "run", .mode = 04755, .modified = 1'600'000'000};
  TarMember closed{.name = "closed", .type = TarMember::Type::kFolder, .mode = 0555};
  TarMember unreadable{.name = "closed/u", .mode = 0};
  ASSERT_TRUE(UnpackBytes(Ended(TarHeader(script) + TarHeader(closed) + TarHeader(unreadable))));
  struct stat status {};
  ASSERT_EQ(::stat(At("run").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_EQ(status.st_mtime, 1'600'000'000);
  ASSERT_EQ(::stat(At("closed").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);  // its owner may work in it
  ASSERT_EQ(::stat(At("closed/u").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0400U);
}

TEST_F(UnpackTest, MakesLinksThatStayInside) {
  ASSERT_TRUE(UnpackBytes(Ended(File("a/f", "text") + Member("a/up", '2', "../b") +
                                Member("b", '2', "a/f") + Member("nowhere", '2', "missing") +
                                Member("hard", '1', "./a/f"))));
  EXPECT_THAT(Content(), ElementsAre(Pair("a", "/"), Pair("a/f", "text"), Pair("a/up", "-> ../b"),
                                     Pair("b", "-> a/f"), Pair("hard", "text"),
                                     Pair("nowhere", "-> missing")));
  EXPECT_EQ(std::filesystem::hard_link_count(At("hard")), 2U);
}

TEST_F(UnpackTest, RemovesWhatAKilledOneLeftButNotWhatIsAtWork) {
  const std::string dead = At(std::string(kStagingPrefix) + "dead");
  const std::string alive = At(std::string(kStagingPrefix) + "alive");
  std::filesystem::create_directories(dead + "/x");
  std::filesystem::create_directory(alive);
  UniqueFd lock(::open(alive.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  ASSERT_TRUE(UnpackBytes(Ended(File("a"))));
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
}

TEST_F(UnpackTest, SaysWhenThereIsNoFolder) {
  std::filesystem::remove(folder_);
  const auto done = UnpackBytes(Ended(File("a")));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("No such file or directory"));
}

TEST_F(UnpackTest, ReadsBackWhatWasPacked) {
  Write("a/b/c.txt", std::string(300'000, 'q') + "end");
  Write(std::string(90, 'n') + "/" + std::string(90, 'm'), "long");
  Write("\xc3\xbc/\xff", "odd");
  std::filesystem::create_symlink("b/c.txt", At("a/link"));
  std::filesystem::create_hard_link(At("a/b/c.txt"), At("hard"));
  const auto before = Content();
  const std::string packed = PackBytes();
  EXPECT_THAT(reports_, IsEmpty());
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directory(folder_);
  const auto done = UnpackBytes(packed);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(Content(), before);
}

}  // namespace
}  // namespace viv::tools
