#include "agent/users.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace viv::agent {
namespace {

class UsersTest : public ::testing::Test {
 protected:
  UsersTest() {
    char pattern[] = "/tmp/viv-users-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    users_ = Users(folder_);
  }
  ~UsersTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string folder_;
  Users users_;
};

TEST_F(UsersTest, FindsAUserWithGroups) {
  Write("passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:100:Some One:/home/user:/bin/bash\n");
  Write("group",
        "root:x:0:\nsudo:x:27:other,user\nusers:x:100:\nmore:x:5:user\nnot:x:6:user2,use\n");
  auto user = users_.Find("user");
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->uid, 1000u);
  EXPECT_EQ(user->gid, 100u);
  EXPECT_EQ(user->home, "/home/user");
  EXPECT_EQ(user->shell, "/bin/bash");
  EXPECT_EQ(user->groups, (std::vector<gid_t>{27, 5}));
  EXPECT_EQ(users_.NameOf(1000), "user");
  EXPECT_EQ(users_.NameOf(1001), "1001");
  EXPECT_EQ(users_.GroupNameOf(27), "sudo");
  EXPECT_EQ(users_.GroupNameOf(99), "99");
}

TEST_F(UsersTest, ResolvesWhatContainerImagesWrite) {
  Write("passwd", "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:100::/home/user:/bin/bash\n");
  Write("group", "root:x:0:\nsudo:x:27:user\n");
  EXPECT_EQ(users_.Resolve("user")->groups, (std::vector<gid_t>{27}));
  EXPECT_EQ(users_.Resolve("1000")->name, "user");
  EXPECT_EQ(users_.Resolve("1000")->gid, 100u);
  EXPECT_EQ(users_.Resolve("user:sudo")->gid, 27u);
  EXPECT_TRUE(users_.Resolve("user:sudo")->groups.empty());
  EXPECT_EQ(users_.Resolve("1000:5")->gid, 5u);
  EXPECT_EQ(users_.Resolve("4321")->uid, 4321u);
  EXPECT_EQ(users_.Resolve("4321")->gid, 0u);
  EXPECT_EQ(users_.Resolve("4321")->home, "/");
  for (const char* text : {"", ":", "nobody", "user:", "user:nogroup", ":sudo", "-1", "4294967295",
                           "user:sudo:x", "1000:4294967295"}) {
    EXPECT_FALSE(users_.Resolve(text)) << text;
  }
}

TEST_F(UsersTest, SeesChangesAtOnce) {
  EXPECT_FALSE(users_.Find("new").has_value());
  Write("passwd", "new:x:5:5::/n:/bin/sh\n");
  EXPECT_TRUE(users_.Find("new").has_value());
}

TEST_F(UsersTest, ReadsALastLineWithoutItsEnd) {
  Write("passwd", "a:x:1:1::/a:/bin/sh\nb:x:2:2::/b:/bin/sh");
  EXPECT_EQ(users_.Find("b")->shell, "/bin/sh");
}

TEST_F(UsersTest, SkipsLinesThatMakeNoSense) {
  Write("passwd",
        "short:x:1\n::1:1::/:/\n#user:x:1:1::/:/\nuser:x:abc:1::/:/\nuser:x:-1:1::/:/\n"
        "user:x:4294967295:0::/:/\nuser:x:0:4294967295::/:/\nuser:x:99999999999:1::/:/\n"
        "user:x: 1:1::/:/\nuser:x::1::/:/\nuser:x:12:13::/ok:/\n");
  auto user = users_.Find("user");
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->uid, 12u);
  EXPECT_EQ(user->home, "/ok");
  EXPECT_FALSE(users_.Find("").has_value());
  EXPECT_FALSE(users_.Find("#user").has_value());
  EXPECT_FALSE(users_.Find("short").has_value());
  EXPECT_FALSE(users_.Find("user:x").has_value());
}

TEST_F(UsersTest, GivesAHomeToThoseWithout) {
  Write("passwd", "a:x:1:1:::/bin/sh\nb:x:2:2::../etc:/bin/sh\n");
  EXPECT_EQ(users_.Find("a")->home, "/");
  EXPECT_EQ(users_.Find("b")->home, "/");
}

TEST_F(UsersTest, RootIsThereWithoutAnyFile) {
  EXPECT_EQ(users_.Find("root")->uid, 0u);
  EXPECT_EQ(users_.Find("root")->home, "/root");
  EXPECT_FALSE(users_.Find("user").has_value());
}

TEST_F(UsersTest, IsNotHeldUpByAFifoOrFilledByAFlood) {
  ASSERT_EQ(::mkfifo((folder_ + "/passwd").c_str(), 0600), 0);
  EXPECT_FALSE(users_.Find("user").has_value());
  std::filesystem::remove(folder_ + "/passwd");
  Write("passwd", std::string(2 * 1024 * 1024, 'x') + "\nlate:x:1:1::/:/\n");
  EXPECT_FALSE(users_.Find("late").has_value());
  std::string groups;
  for (int i = 1; i < 1000; ++i) groups += "g:x:" + std::to_string(i) + ":many\n";
  Write("passwd", "many:x:1:1::/:/\n");
  Write("group", groups);
  EXPECT_EQ(users_.Find("many")->groups.size(), 256u);
}

}  // namespace
}  // namespace viv::agent
