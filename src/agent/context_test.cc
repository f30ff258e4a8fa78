#include "agent/context.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/base64.h"

namespace viv::agent {
namespace {

class ContextTest : public ::testing::Test {
 protected:
  ContextTest() {
    char pattern[] = "/tmp/viv-context-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    std::ofstream(folder_ + "/passwd") << "user:x:1000:1000::/home/user:/bin/sh\n"
                                       << "root:x:0:0::/root:/bin/sh\n";
    context_.users = Users(folder_);
  }
  ~ContextTest() override { std::filesystem::remove_all(folder_); }

  std::string Caller(const std::string& header) {
    http::Request request;
    if (!header.empty()) request.headers.Add("Authorization", header);
    auto user = CallerOf(context_, request);
    return user ? user->name
                : std::string(CodeName(user.error().code)) + ": " + user.error().message;
  }
  static std::string Basic(std::string_view text) { return "Basic " + EncodeBase64(text); }

  std::string folder_;
  Context context_;
};

TEST_F(ContextTest, ActsAsTheUserNamedOrTheDefaultOne) {
  EXPECT_EQ(Caller(""), "user");
  EXPECT_EQ(Caller(Basic("root:")), "root");
  EXPECT_EQ(Caller(Basic("root:any:password")), "root");
  EXPECT_EQ(Caller("basic cm9vdDo"), "root");
}

TEST_F(ContextTest, TakesABrokenHeaderAsNone) {
  for (const char* header : {"Bearer x", "Basic", "Basic !", "Basic cm9vdA=="}) {
    EXPECT_EQ(Caller(header), "user") << header;
  }
}

TEST_F(ContextTest, RefusesNamesItDoesNotKnow) {
  EXPECT_EQ(Caller(Basic("eve:")), "unauthenticated: invalid username: 'eve'");
  EXPECT_EQ(Caller(Basic(":")), "unauthenticated: invalid username: ''");
  EXPECT_EQ(Caller(Basic("\xff:")), "unauthenticated: invalid username: '?'");
  context_.default_user = "nobody";
  EXPECT_EQ(Caller(""), "unauthenticated: invalid default user: 'nobody'");
}

TEST_F(ContextTest, ResolvesPathsAsE2bDoes) {
  User user = *context_.users.Find("user");
  auto resolved = [&](std::string_view path) { return ResolvePath(context_, user, path); };
  EXPECT_EQ(resolved(""), "/home/user");
  EXPECT_EQ(resolved("~"), "/home/user");
  EXPECT_EQ(resolved("~/a"), "/home/user/a");
  EXPECT_EQ(resolved("."), "/home/user");
  EXPECT_EQ(resolved("a/./b//c/"), "/home/user/a/b/c");
  EXPECT_EQ(resolved("../x"), "/home/x");
  EXPECT_EQ(resolved("/etc/../a"), "/etc/../a");
  EXPECT_EQ(resolved("../../../../x"), "/x");
  context_.default_workdir = "/work";
  EXPECT_EQ(resolved(""), "/work");
  EXPECT_EQ(resolved("a"), "/home/user/a");
}

}  // namespace
}  // namespace viv::agent
