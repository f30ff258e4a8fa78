#include "dialects/e2b/signature.h"

#include <gtest/gtest.h>

namespace viv::e2b {
namespace {

constexpr const char* kToken = "0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0";

http::Request FileRequest(std::string method, std::string query) {
  http::Request request;
  request.method = std::move(method);
  request.path = "/files";
  request.query = std::move(query);
  return request;
}

TEST(SignatureTest, IsTheVendors) {
  FileLink link{.path = "hello.txt", .operation = "read", .user = "user"};
  EXPECT_EQ(Sign(link, kToken), "v1_gUtH/s9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E");
}

TEST(SignatureTest, FitsTheTokenThatMadeIt) {
  auto link = FileLinkOf(FileRequest(
      "GET",
      "path=hello.txt&username=user&signature=v1_gUtH%2Fs9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E"));
  ASSERT_TRUE(link);
  EXPECT_TRUE(IsSignedWith(*link, kToken));
  EXPECT_FALSE(IsSignedWith(*link, "another"));
  EXPECT_FALSE(IsSignedWith(*link, ""));
}

TEST(SignatureTest, CoversTheOperationTheUserAndTheEnd) {
  FileLink link{.path = "a", .operation = "read", .user = "user", .expiration = "100"};
  link.signature = Sign(link, kToken);
  EXPECT_TRUE(IsSignedWith(link, kToken));
  FileLink write = link, other_user = link, longer = link;
  write.operation = "write";
  other_user.user = "root";
  longer.expiration = "200";
  EXPECT_FALSE(IsSignedWith(write, kToken));
  EXPECT_FALSE(IsSignedWith(other_user, kToken));
  EXPECT_FALSE(IsSignedWith(longer, kToken));
}

TEST(SignatureTest, EndsWhenItSays) {
  FileLink link;
  EXPECT_FALSE(IsExpired(link, 1'000'000));
  link.expiration = "100";
  EXPECT_FALSE(IsExpired(link, 100'999));
  EXPECT_TRUE(IsExpired(link, 101'000));
  link.expiration = "never";
  EXPECT_TRUE(IsExpired(link, 0));
}

TEST(SignatureTest, LooksAtSignedLinksToFilesOnly) {
  EXPECT_FALSE(FileLinkOf(FileRequest("GET", "path=a")));
  EXPECT_FALSE(FileLinkOf(FileRequest("DELETE", "path=a&signature=v1_x")));
  EXPECT_EQ(FileLinkOf(FileRequest("POST", "signature=v1_x"))->operation, "write");
  http::Request other = FileRequest("GET", "signature=v1_x");
  other.path = "/filesystem";
  EXPECT_FALSE(FileLinkOf(other));
}

}  // namespace
}  // namespace viv::e2b
