#include <sys/socket.h>

#include "tools/archive/archive_test_support.h"
#include "tools/archive/staging.h"

namespace viv::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PackTest : public ArchiveTest {
 protected:
  // The names of the members, as another program reads them.
  std::vector<std::string> Listed(const std::string& packed) const {
    const std::string file = scratch_ + "/packed.tgz";
    std::ofstream(file, std::ios::binary) << packed;
    std::FILE* tar = ::popen(("tar tzf " + file + " 2>&1").c_str(), "r");
    std::string text(8 << 20, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), tar));
    EXPECT_EQ(::pclose(tar), 0) << text;
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(PackTest, NamesMembersFromTheFolderOn) {
  Write("b/c", "x");
  Write("a", "x");
  std::filesystem::create_directory(At("empty"));
  EXPECT_THAT(Listed(PackBytes()), ElementsAre(".", "./a", "./b", "./b/c", "./empty"));
}

TEST_F(PackTest, PacksAnEmptyFolder) {
  EXPECT_THAT(Listed(PackBytes()), ElementsAre("."));
}

TEST_F(PackTest, WritesOneGzipFileHoweverLong) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < (3 << 20) + 17; ++i)
    text += std::to_string(i * 7919) + ",";
  Write("long", text);
  const std::string packed = PackBytes();
  const UniqueFd file = Holding(packed);
  const std::string other = scratch_ + "/other";
  std::filesystem::create_directory(other);
  ASSERT_TRUE(Unpack(file.get(), other));
  std::ifstream in(other + "/long", std::ios::binary);
  std::stringstream back;
  back << in.rdbuf();
  EXPECT_EQ(back.str(), text);
}

TEST_F(PackTest, LeavesOutWhatAReaderWouldRefuse) {
  Write("good", "x");
  std::filesystem::create_symlink("/etc/passwd", At("absolute"));
  std::filesystem::create_symlink("../x", At("out"));
  std::filesystem::create_directories(At("p/q"));
  std::filesystem::create_symlink("../..", At("p/q/root"));
  std::filesystem::create_symlink("p/q/root/../x", At("z"));
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Listed(PackBytes()), ElementsAre(".", "./good", "./p", "./p/q", "./p/q/root"));
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("'absolute'"), HasSubstr("'out'"),
                                    HasSubstr("'pipe'"), HasSubstr("'z'")));
}

TEST_F(PackTest, LeavesOutAFileThatIsTooLargeAndWhatUnpackLeft) {
  Write("big", "1234567890");
  Write("small", "1");
  Write(std::string(kStagingPrefix) + "x/y", "half");
  EXPECT_THAT(Listed(PackBytes({.file_bytes_max = 9})), ElementsAre(".", "./small"));
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("'big': it is too large")));
}

TEST_F(PackTest, StopsAtItsLimits) {
  Write("a", "12345");
  Write("b", "12345");
  EXPECT_THAT(PackBytes({.entries_max = 2}), HasSubstr("failed: the folder has more than 2"));
  EXPECT_THAT(PackBytes({.bytes_max = 9}), HasSubstr("failed: the folder has more than 9 bytes"));
}

TEST_F(PackTest, GoesDeeperThanThereAreDescriptors) {
  std::string path = folder_;
  for (int i = 0; i < 1500; ++i) path += "/d";
  ASSERT_EQ(std::system(("mkdir -p " + path).c_str()), 0);
  EXPECT_EQ(Listed(PackBytes()).size(), 1501U);
  EXPECT_THAT(reports_, IsEmpty());
  ASSERT_EQ(std::system(("rm -rf " + folder_).c_str()), 0);
}

TEST_F(PackTest, SaysWhenThereIsNoFolderAndWhenNobodyReads) {
  std::filesystem::remove(folder_);
  EXPECT_THAT(PackBytes(), HasSubstr("there is no folder"));
  std::filesystem::create_directory(folder_);
  UniqueFd closed(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const Status packed = Pack(folder_, closed.get(), [](const std::string&) {});
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message, HasSubstr("write the archive"));
}

}  // namespace
}  // namespace viv::tools
