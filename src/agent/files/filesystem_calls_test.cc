#include <sys/stat.h>
#include <sys/xattr.h>

#include "agent/files/entry_info.h"
#include "agent/files/files_test_support.h"

namespace viv::agent {
namespace {

class FilesystemCallsTest : public FilesTest {
 protected:
  static std::string FailureText(const json::object& answer) {
    return Text(answer, "code") + ": " + Text(answer, "message");
  }
  json::object EntryOf(const std::string& path) {
    json::object answer = Call("Stat", {{"path", path}});
    EXPECT_EQ(call_status_, 200);
    return answer["entry"].is_object() ? answer["entry"].get_object() : json::object();
  }
  std::vector<std::string> Listed(const json::object& request) {
    json::object answer = Call("ListDir", request);
    std::vector<std::string> paths;
    if (!answer["entries"].is_array()) return paths;
    for (const json::value& entry : answer["entries"].get_array()) {
      paths.push_back(Text(entry.get_object(), "path").substr(root_.size()));
    }
    return paths;
  }
};

TEST_F(FilesystemCallsTest, TellsAboutAFile) {
  PutOwn("a.txt", "hello", 0640);
  ASSERT_EQ(::setxattr(Home("a.txt").c_str(), "user.e2b.author", "mish", 4, 0), 0);
  ASSERT_EQ(::setxattr(Home("a.txt").c_str(), "user.other", "x", 1, 0), 0);
  struct timespec times[2] = {{1, 0}, {1'000'000'000, 5'000'000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, Home("a.txt").c_str(), times, 0), 0);
  json::object entry = EntryOf("a.txt");
  EXPECT_EQ(WriteJson(entry),
            "{\"name\":\"a.txt\",\"type\":\"FILE_TYPE_FILE\",\"path\":\"" + Home("a.txt") +
                "\",\"size\":\"5\",\"mode\":416,\"permissions\":\"-rw-r-----\",\"owner\":\"user\","
                "\"group\":\"user\",\"modifiedTime\":\"2001-09-09T01:46:40.005Z\","
                "\"metadata\":{\"author\":\"mish\"}}");
}

TEST_F(FilesystemCallsTest, TellsOfALinkWhatItLeadsTo) {
  PutOwn("target", "hello", 0600);
  ASSERT_EQ(::symlink("target", Home("link").c_str()), 0);
  json::object entry = EntryOf("link");
  EXPECT_EQ(Text(entry, "type"), "FILE_TYPE_FILE");
  EXPECT_EQ(entry["mode"].to_number<int>(), 0600);
  EXPECT_EQ(Text(entry, "permissions"), "Lrwxrwxrwx");
  EXPECT_EQ(Text(entry, "symlinkTarget"), Home("target"));
  EXPECT_TRUE(entry["isSymlink"].get_bool());
  EXPECT_EQ(Text(entry, "path"), Home("link"));

  ASSERT_EQ(::symlink("nowhere", Home("dangling").c_str()), 0);
  entry = EntryOf("dangling");
  EXPECT_NE(Text(entry, "type"), "FILE_TYPE_FILE");
  EXPECT_EQ(Text(entry, "symlinkTarget"), Home("dangling"));
}

TEST_F(FilesystemCallsTest, RefusesToTellOfWhatIsNotThere) {
  EXPECT_EQ(FailureText(Call("Stat", {{"path", "no"}})),
            "not_found: file not found: lstat " + Home("no") + ": no such file or directory");
  EXPECT_EQ(call_status_, 404);
  PutOwn("a", "");
  Call("Stat", {{"path", "a/b"}});
  EXPECT_EQ(call_status_, 500);
  Call("Stat", {{"path", std::string("a\0b", 3)}});
  EXPECT_EQ(call_status_, 400);
  EXPECT_EQ(FailureText(Call("Stat", {{"path", "a"}}, "bm9ib2R5Og==")),
            "unauthenticated: invalid username: 'nobody'");
  EXPECT_EQ(call_status_, 401);
}

TEST(EntryInfoTest, WritesPermissionsAsGoDoes) {
  EXPECT_EQ(PermissionsText(S_IFREG | 0644), "-rw-r--r--");
  EXPECT_EQ(PermissionsText(S_IFDIR | 01777), "dtrwxrwxrwx");
  EXPECT_EQ(PermissionsText(S_IFREG | 06755), "ugrwxr-xr-x");
  EXPECT_EQ(PermissionsText(S_IFCHR | 0600), "Dcrw-------");
  EXPECT_EQ(PermissionsText(S_IFIFO | 0), "p---------");
}

TEST_F(FilesystemCallsTest, MakesFolders) {
  json::object answer = Call("MakeDir", {{"path", "a/b/c"}});
  EXPECT_EQ(call_status_, 200);
  EXPECT_EQ(Text(answer["entry"].get_object(), "type"), "FILE_TYPE_DIRECTORY");
  EXPECT_EQ(Text(answer["entry"].get_object(), "path"), Home("a/b/c"));
  EXPECT_EQ(Info(Home("a/b")).st_uid, kTestUid);
}

TEST_F(FilesystemCallsTest, RefusesFoldersThatExistOrCannotBe) {
  EXPECT_EQ(FailureText(Call("MakeDir", {{"path", "."}})),
            "already_exists: directory already exists: " + Home());
  EXPECT_EQ(call_status_, 409);
  PutOwn("file", "");
  EXPECT_EQ(FailureText(Call("MakeDir", {{"path", "file"}})),
            "invalid_argument: path already exists but it is not a directory: " + Home("file"));
  Call("MakeDir", {{"path", "file/below"}});
  EXPECT_EQ(call_status_, 500);
}

TEST_F(FilesystemCallsTest, WorksInFoldersOfOthersAndMakesWhatIsTheCallers) {
  Call("MakeDir", {{"path", root_ + "/new/below"}});
  EXPECT_EQ(call_status_, 200);
  EXPECT_EQ(Info(root_ + "/new").st_uid, kTestUid);
  EXPECT_EQ(Info(root_ + "/new/below").st_uid, kTestUid);
  std::filesystem::create_directory(root_ + "/secret");
  Put("secret/a", "x");
  ASSERT_EQ(::chmod((root_ + "/secret").c_str(), 0700), 0);
  EXPECT_EQ(Call("ListDir", {{"path", root_ + "/secret"}})["entries"].get_array().size(), 1U);
  Call("Stat", {{"path", root_ + "/secret/a"}});
  EXPECT_EQ(call_status_, 200);
  Call("Move", {{"source", root_ + "/secret/a"}, {"destination", "a"}});
  EXPECT_EQ(Content(Home("a")), "x");
  Call("Remove", {{"path", root_ + "/secret"}});
  EXPECT_FALSE(std::filesystem::exists(root_ + "/secret"));
}

TEST_F(FilesystemCallsTest, MovesFilesAndFolders) {
  PutOwn("a", "hello");
  json::object answer = Call("Move", {{"source", "a"}, {"destination", "new/deep/b"}});
  EXPECT_EQ(call_status_, 200);
  EXPECT_EQ(Text(answer["entry"].get_object(), "path"), Home("new/deep/b"));
  EXPECT_EQ(Content(Home("new/deep/b")), "hello");
  Call("Move", {{"source", "new"}, {"destination", "old"}});
  EXPECT_EQ(Content(Home("old/deep/b")), "hello");
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"old"});
}

TEST_F(FilesystemCallsTest, RefusesMovesThatCannotBe) {
  EXPECT_EQ(FailureText(Call("Move", {{"source", "no"}, {"destination", "b"}})),
            "not_found: source file not found: rename " + Home("no") + " " + Home("b") +
                ": no such file or directory");
  PutOwn("a", "x");
  Call("Move", {{"source", "a"}, {"destination", "a/b"}});
  EXPECT_EQ(call_status_, 500);
  EXPECT_EQ(Content(Home("a")), "x");
}

TEST_F(FilesystemCallsTest, MovesBetweenMounts) {
  std::string disk = Home("disk");
  std::filesystem::create_directory(disk);
  TestMount mount("none", disk, "tmpfs", 0, "size=8m,mode=0777");
  if (mount.error != 0) {
    GTEST_SKIP() << "this machine does not let tests mount: " << ErrnoText(mount.error);
  }
  Call("MakeDir", {{"path", "tree/empty"}});
  PutOwn("tree/file", std::string(5'000'000, 'x'), 0751);
  ASSERT_EQ(::symlink("file", Home("tree/link").c_str()), 0);
  ASSERT_EQ(::mkfifo(Home("tree/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::lchown(Home("tree/pipe").c_str(), kTestUid, kTestUid), 0);
  ASSERT_EQ(::chmod(Home("tree/empty").c_str(), 0500), 0);
  json::object answer = Call("Move", {{"source", "tree"}, {"destination", "disk/moved"}});
  EXPECT_EQ(call_status_, 200) << WriteJson(answer);
  EXPECT_EQ(Names(disk + "/moved"), (std::vector<std::string>{"empty", "file", "link", "pipe"}));
  EXPECT_EQ(Info(disk + "/moved/file").st_size, 5'000'000);
  EXPECT_EQ(Info(disk + "/moved/file").st_mode & 07777, 0751U);
  EXPECT_EQ(Info(disk + "/moved/empty").st_mode & 07777, 0500U);
  EXPECT_EQ(Info(disk + "/moved/file").st_uid, kTestUid);
  EXPECT_TRUE(S_ISLNK(Info(disk + "/moved/link").st_mode));
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"disk"});

  // What does not fit stays where it was.
  PutOwn("large", std::string(5'000'000, 'y'));
  Call("Move", {{"source", "large"}, {"destination", "disk/large"}});
  EXPECT_EQ(call_status_, 500);
  EXPECT_EQ(Names(disk), std::vector<std::string>{"moved"});
  EXPECT_EQ(Info(Home("large")).st_size, 5'000'000);
}

TEST_F(FilesystemCallsTest, ListsBeforeItsContentAFolderAndByName) {
  Call("MakeDir", {{"path", "t/b/c"}});
  PutOwn("t/B", "");
  PutOwn("t/a", "");
  PutOwn("t/b/x", "");
  PutOwn("t/b.txt", "");
  ASSERT_EQ(::symlink("b", Home("t/link").c_str()), 0);
  std::vector<std::string> top{"/home/user/t/B", "/home/user/t/a", "/home/user/t/b",
                               "/home/user/t/b.txt", "/home/user/t/link"};
  EXPECT_EQ(Listed({{"path", "t"}}), top);
  EXPECT_EQ(Listed({{"path", "t"}, {"depth", 1}}), top);
  std::vector<std::string> both{"/home/user/t/B",   "/home/user/t/a",   "/home/user/t/b",
                                "/home/user/t/b/c", "/home/user/t/b/x", "/home/user/t/b.txt",
                                "/home/user/t/link"};
  EXPECT_EQ(Listed({{"path", "t"}, {"depth", 2}}), both);
  EXPECT_EQ(Listed({{"path", "t"}, {"depth", 4000000000}}), both);
}

TEST_F(FilesystemCallsTest, ListsUnderTheNameItWasAsked) {
  Call("MakeDir", {{"path", "real"}});
  PutOwn("real/a", "");
  ASSERT_EQ(::symlink("real", Home("link").c_str()), 0);
  EXPECT_EQ(Listed({{"path", "link"}}), std::vector<std::string>{"/home/user/link/a"});
}

TEST_F(FilesystemCallsTest, ListsAFolderOfManyFiles) {
  Call("MakeDir", {{"path", "many"}});
  for (int i = 0; i < 3000; ++i) Put("home/user/many/" + std::to_string(i), "");
  EXPECT_EQ(Listed({{"path", "many"}}).size(), 3000U);
}

TEST_F(FilesystemCallsTest, RefusesToListWhatIsNoFolder) {
  EXPECT_EQ(FailureText(Call("ListDir", {{"path", "no"}})),
            "not_found: path not found: lstat " + Home("no") + ": no such file or directory");
  PutOwn("file", "");
  EXPECT_EQ(FailureText(Call("ListDir", {{"path", "file"}})),
            "invalid_argument: path is not a directory: " + Home("file"));
  ASSERT_EQ(::symlink("loop", Home("loop").c_str()), 0);
  EXPECT_EQ(FailureText(Call("ListDir", {{"path", "loop"}})),
            "failed_precondition: cyclic symlink or chain >255 links at \"" + Home("loop") + "\"");
}

TEST_F(FilesystemCallsTest, TellsNamesThatAreNoText) {
  PutOwn("\xFF", "");
  EXPECT_EQ(Listed({{"path", "."}}), std::vector<std::string>{"/home/user/\xEF\xBF\xBD"});
}

TEST_F(FilesystemCallsTest, RemovesFilesAndTrees) {
  PutOwn("a", "x");
  Call("Remove", {{"path", "a"}});
  EXPECT_EQ(call_status_, 200);
  Call("MakeDir", {{"path", "t/b/c"}});
  for (int i = 0; i < 600; ++i) PutOwn("t/b/" + std::to_string(i), "");
  PutOwn("kept", "x");
  ASSERT_EQ(::symlink("../kept", Home("t/link").c_str()), 0);
  ASSERT_EQ(::mkfifo(Home("t/pipe").c_str(), 0600), 0);
  Call("Remove", {{"path", "t"}});
  EXPECT_EQ(call_status_, 200);
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"kept"});
  Call("Remove", {{"path", "never there"}});
  EXPECT_EQ(call_status_, 200);
}

TEST_F(FilesystemCallsTest, RemovesTreesDeeperThanAnyPath) {
  std::string name(200, 'd');
  Call("MakeDir", {{"path", "deep"}});
  int at = ::open(Home("deep").c_str(), O_PATH | O_CLOEXEC);
  for (int level = 0; level < 100; ++level) {
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0777), 0);
    int next = ::openat(at, name.c_str(), O_PATH | O_CLOEXEC);
    ASSERT_EQ(::fchownat(next, "", kTestUid, kTestUid, AT_EMPTY_PATH), 0);
    ::close(at);
    at = next;
  }
  ::close(at);
  json::object answer = Call("Remove", {{"path", "deep"}});
  EXPECT_EQ(call_status_, 200) << WriteJson(answer);
  EXPECT_TRUE(Names(Home()).empty());
}

TEST_F(FilesystemCallsTest, RemovesALinkAndNotWhatItLeadsTo) {
  Call("MakeDir", {{"path", "real"}});
  PutOwn("real/a", "");
  ASSERT_EQ(::symlink("real", Home("link").c_str()), 0);
  Call("Remove", {{"path", "link"}});
  EXPECT_EQ(Names(Home()), std::vector<std::string>{"real"});
  EXPECT_EQ(Names(Home("real")), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace viv::agent
