#include "tools/archive/archive_test_support.h"

namespace viv::tools {
namespace {

using ::testing::HasSubstr;

class UnpackHostileTest : public ArchiveTest {
 protected:
  UnpackHostileTest() {
    Write("file", "mine");
    Write("folder/inner", "mine");
  }
};

TEST_F(UnpackHostileTest, RefusesNamesAndLinksThatLeadOut) {
  const std::string good = File("good");
  for (const std::string& member :
       {File("/abs"), File("../up"), File("a/../../up"), Member("l", '2', "/etc"),
        Member("l", '2', "../.."), Member("d/l", '2', "../../x"), Member("h", '1', "/etc/passwd"),
        Member("h", '1', "../up"), Member("h", '1', "./")}) {
    EXPECT_NE(Refusal(Zipped(Ended(good + member))), "");
  }
}

TEST_F(UnpackHostileTest, RefusesALinkThatLeadsOutOverAnother) {
  EXPECT_THAT(Refusal(Ended(Member("p/q/up", '2', "../..") + Member("z", '2', "p/q/up/../x"))),
              HasSubstr("'z' in the archive is a link that leads out"));
}

TEST_F(UnpackHostileTest, NeverWritesThroughALink) {
  EXPECT_NE(Refusal(Ended(Member("l", '2', "folder") + File("l/x"))), "");
  EXPECT_NE(Refusal(Ended(File("f") + File("f/x"))), "");
  EXPECT_NE(Refusal(Ended(Member("l", '2', "f") + Member("h", '1', "l"))), "");
  // Not through one that was there before, either.
  std::filesystem::create_directory_symlink("folder", At("link"));
  EXPECT_THAT(Refusal(Ended(File("link/x"))), HasSubstr("no folder in the workspace"));
}

TEST_F(UnpackHostileTest, RefusesDevicesPipesAndTwoOfOneName) {
  for (char type : {'3', '4', '6'})
    EXPECT_THAT(Refusal(Ended(Member("d", type))), HasSubstr("neither file nor folder nor link"));
  EXPECT_THAT(Refusal(Ended(File("a", "1") + File("./a", "2"))), HasSubstr("is there twice"));
  EXPECT_THAT(Refusal(Ended(File("a") + Member("a", '5'))), HasSubstr("is there twice"));
  EXPECT_NE(Refusal(Ended(File("./"))), "");
}

TEST_F(UnpackHostileTest, RefusesWhatDoesNotFitToTheFolderBeforeAnythingMoves) {
  EXPECT_THAT(Refusal(Ended(File("aaa") + File("folder"))), HasSubstr("a folder in the workspace"));
  EXPECT_THAT(Refusal(Ended(File("aaa") + File("file/x"))),
              HasSubstr("but no folder in the workspace"));
  EXPECT_EQ(Refusal(Ended(File("folder/inner/x"))).empty(), false);
}

TEST_F(UnpackHostileTest, RefusesWhatIsNoArchiveOrDamaged) {
  const std::string tar = Ended(File("a", std::string(5000, 'a')));
  const std::string zipped = Zipped(tar);
  for (const std::string& bytes :
       {std::string(), std::string("hello, this is no archive"), std::string(2000, 'z'),
        std::string("\x1f\x8b"), std::string("\x1f\x8b\x08garbage"), Zipped("no tar in here"),
        zipped.substr(0, zipped.size() / 2), zipped.substr(0, zipped.size() - 8),
        zipped.substr(0, zipped.size() - 1), zipped + "more", tar.substr(0, 512),
        tar.substr(0, 3000), tar.substr(0, 512 + 5120)}) {
    EXPECT_NE(Refusal(bytes), "");
  }
}

TEST_F(UnpackHostileTest, SeesAChangedByteByTheDigest) {
  // Stored, not deflated: only the digest can tell.
  std::string zipped = Zipped(Ended(File("a", std::string(5000, 'a'))), 0);
  zipped[2000] ^= 1;
  EXPECT_THAT(Refusal(zipped), HasSubstr("damaged"));
}

TEST_F(UnpackHostileTest, RefusesBombs) {
  const std::string bomb = Zipped(Ended(File("zeros", std::string(100 << 20, '\0'))), 9);
  EXPECT_THAT(Refusal(bomb), HasSubstr("far more than its size"));
  EXPECT_THAT(Refusal(Ended(File("a") + File("b") + File("c")), {.entries_max = 2}),
              HasSubstr("more than 2 members"));
  EXPECT_THAT(Refusal(Ended(File("a", "1234") + File("b", "5678")), {.bytes_max = 7}),
              HasSubstr("more than 7 bytes"));
  TarMember huge{.name = "huge", .size = 1ULL << 40};
  EXPECT_THAT(Refusal(Ended(TarHeader(huge))), HasSubstr("unpacks to more than"));
}

}  // namespace
}  // namespace viv::tools
