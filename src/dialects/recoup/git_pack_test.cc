#include "dialects/recoup/git_pack.h"

#include <fmt/format.h>

#include "dialects/recoup/test_support.h"

namespace viv::recoup {
namespace {

using std::string_literals::operator""s;  // for texts with a NUL

std::string Line(std::string_view data) {
  return fmt::format("{:04x}{}", data.size() + 4, data);
}

const std::string kFirst(40, '1');
const std::string kSecond(40, '2');
const std::string kOpening = Line("# service=git-upload-pack\n") + "0000";

TEST(GitPackTest, FindsTheDefaultBranch) {
  auto head = ParseAdvertisement(
      kOpening + Line(kSecond + " HEAD\0multi_ack symref=HEAD:refs/heads/trunk agent=git/2\n"s) +
      Line(kFirst + " refs/heads/main\n") + Line(kSecond + " refs/heads/trunk\n") +
      Line(kFirst + " refs/tags/v1\n") + "0000");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->branch, "trunk");
  EXPECT_EQ(head->commit, kSecond);
}

TEST(GitPackTest, WithoutOneTheFirstBranchCounts) {
  auto head = ParseAdvertisement(kOpening + Line(kFirst + " refs/heads/a/b\0ofs-delta\n"s) +
                                 Line(kSecond + " refs/heads/c\n") + "0000");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->branch, "a/b");
  EXPECT_EQ(head->commit, kFirst);
}

TEST(GitPackTest, AnEmptyRepositoryHasNoCommit) {
  auto head = ParseAdvertisement(
      kOpening + Line(std::string(40, '0') + " capabilities^{}\0ofs-delta\n"s) + "0000");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->branch, "main");
  EXPECT_EQ(head->commit, "");
}

TEST(GitPackTest, RefusesWhatIsBroken) {
  for (const std::string& bytes :
       {""s, "0000"s, kOpening, Line("# service=git-receive-pack\n") + "0000", kOpening + "zzzz",
        kOpening + "00ff", kOpening + "0001", kOpening + Line("short refs/heads/x\n") + "0000",
        kOpening + Line(kFirst + " refs/heads/a b\n") + "0000",
        kOpening + Line(kFirst + " refs/heads/-x\n") + "0000",
        kOpening + Line(kFirst + " refs/heads/x\n")})
    EXPECT_FALSE(ParseAdvertisement(bytes)) << bytes;
}

using GitPackFetchTest = RecoupTest;

TEST_F(GitPackFetchTest, CarriesARepositoryWithItsHistory) {
  ASSERT_TRUE(RunTask(repositories_.Make(kMine)));
  auto empty = RunTask(FetchPack(repositories_, kMine));
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_EQ(empty->bytes, "");
  for (const char* text : {"one", "two"}) {
    std::vector<git::Repositories::NewFile> files = {{"a.txt", text}};
    auto made = RunTask(repositories_.Commit(kMine, files, "message"));
    ASSERT_TRUE(made) << made.error().message;
  }
  auto pack = RunTask(FetchPack(repositories_, kMine));
  ASSERT_TRUE(pack) << pack.error().message;
  EXPECT_EQ(pack->head.branch, "main");
  EXPECT_EQ(pack->head.commit.size(), 40U);
  EXPECT_TRUE(pack->bytes.starts_with("PACK"));
  // Two commits, two trees, two files.
  EXPECT_EQ(pack->bytes.substr(8, 4), "\0\0\0\x06"s);
}

TEST_F(GitPackFetchTest, WithoutARepositoryThereIsNone) {
  auto pack = RunTask(FetchPack(repositories_, kMine));
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace viv::recoup
