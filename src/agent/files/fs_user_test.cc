#include "agent/files/fs_user.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "agent/files/files_test_support.h"
#include "agent/files/paths.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

class ScopedFsUserTest : public FilesTest {
 protected:
  // The errno of opening for reading as the user; 0 when it worked.
  int OpenAs(const User& user, const std::string& path) {
    ErrnoOr<int> opened = RunAsUser(user, [&]() -> ErrnoOr<int> {
      UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file) return FailWithErrno();
      return 0;
    });
    return opened ? 0 : opened.error();
  }
  User user_ = *context_.users.Find("user");
};

TEST_F(ScopedFsUserTest, LosesTheRightsOfRootAndGetsThemBack) {
  Put("secret", "x");
  std::string path = root_ + "/secret";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(OpenAs(user_, path), EACCES);
  EXPECT_EQ(::access(path.c_str(), R_OK), 0);
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(file);
  EXPECT_EQ(OpenAs(*context_.users.Find("root"), path), 0);
}

TEST_F(ScopedFsUserTest, HasTheRightsOfRootOnBehalfOfTheUserAndMakesWhatIsTheUsers) {
  std::filesystem::create_directory(root_ + "/closed");
  ASSERT_EQ(::chmod((root_ + "/closed").c_str(), 0700), 0);
  FileResult<void> made =
      RunAsUserWithRootCapabilities(user_, [&] { return EnsureFolders(root_ + "/closed/a/b"); });
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(Info(root_ + "/closed/a/b").st_uid, kTestUid);
  EXPECT_EQ(OpenAs(user_, root_ + "/closed/a"), EACCES);  // nothing of it stays
  std::filesystem::create_directory(root_ + "/after");
  EXPECT_EQ(Info(root_ + "/after").st_uid, 0U);
}

TEST_F(ScopedFsUserTest, HasTheGroupsOfTheUserOnly) {
  Put("shared", "x");
  std::string path = root_ + "/shared";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(::chown(path.c_str(), 0, 2000), 0);
  EXPECT_EQ(OpenAs(user_, path), 0);
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  EXPECT_EQ(OpenAs(user_, path), EACCES);
}

TEST_F(ScopedFsUserTest, CreatesFilesOfTheUser) {
  FileResult<void> made = RunAsUser(user_, [&] { return EnsureFolders(Home("a/b")); });
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(Info(Home("a/b")).st_uid, kTestUid);
  EXPECT_EQ(Info(Home("a")).st_mode & 07777, 0755U);
  std::filesystem::create_directory(root_ + "/after");
  EXPECT_EQ(Info(root_ + "/after").st_uid, 0U);
}

TEST_F(ScopedFsUserTest, RefusesAnIdThatIsNone) {
  User broken = user_;
  broken.uid = static_cast<uid_t>(-1);
  EXPECT_EQ(OpenAs(broken, root_ + "/etc/passwd"), EPERM);
  std::filesystem::create_directory(root_ + "/after");
  EXPECT_EQ(Info(root_ + "/after").st_uid, 0U);
}

TEST(PathsTest, TakesPathsApart) {
  EXPECT_EQ(BaseOf("/a/b/"), "b");
  EXPECT_EQ(BaseOf("/"), "/");
  EXPECT_EQ(ParentOf("/a/b//"), "/a");
  EXPECT_EQ(ParentOf("/a//b"), "/a");
  EXPECT_EQ(ParentOf("/a"), "/");
  EXPECT_EQ(JoinPath("/", "a"), "/a");
  EXPECT_EQ(JoinPath("", "a"), "a");
}

TEST(PathsTest, MakesTextOfAnyBytes) {
  EXPECT_EQ(ValidUtf8("aü"), "aü");
  EXPECT_EQ(ValidUtf8("a\xFF\xC3z"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST_F(ScopedFsUserTest, FollowsLinksToAFileThatIsYetToBe) {
  ASSERT_EQ(::symlink("b", Home("a").c_str()), 0);
  ASSERT_EQ(::symlink("../user/c", Home("b").c_str()), 0);
  EXPECT_EQ(FollowLastLinks(Home("a")).value_or(""), Home("../user/c"));
  ASSERT_EQ(::symlink("loop", Home("loop").c_str()), 0);
  EXPECT_EQ(FollowLastLinks(Home("loop")).error(), ELOOP);
}

}  // namespace
}  // namespace viv::agent
