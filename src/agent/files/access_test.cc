#include "agent/files/access.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

constexpr char kAccessTestToken[] = "0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0";
constexpr std::int64_t kAccessTestNow = 1'000;

TEST(FileAccessTest, SignsLinksAsClientsDo) {
  SignedLink link{.path = "hello.txt", .access = FileAccess::kRead, .user = "user"};
  EXPECT_EQ(SignLink(link, kAccessTestToken), "v1_gUtH/s9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E");
}

TEST(FileAccessTest, SignsEveryPartOfALink) {
  SignedLink link{.path = "hello.txt", .access = FileAccess::kRead, .user = "user"};
  std::string signature = SignLink(link, kAccessTestToken);
  SignedLink other = link;
  other.access = FileAccess::kWrite;
  EXPECT_NE(SignLink(other, kAccessTestToken), signature);
  other = link;
  other.user = "root";
  EXPECT_NE(SignLink(other, kAccessTestToken), signature);
  other = link;
  other.expires_at_s = 1;
  EXPECT_NE(SignLink(other, kAccessTestToken), signature);
  EXPECT_NE(SignLink(link, "other"), signature);
}

class FileAccessRefusalTest : public testing::Test {
 protected:
  FileAccessRefusalTest() { context_.access_token = kAccessTestToken; }

  std::string Refusal(std::string query, std::string token = {}) {
    http::Request request;
    request.query = std::move(query);
    if (!token.empty()) request.headers.Add("X-Access-Token", token);
    auto refusal = RefuseAccess(context_, request, FileAccess::kRead, kAccessTestNow);
    status_ = refusal ? refusal->status : 200;
    return refusal ? refusal->message : "";
  }

  Context context_;
  int status_ = 0;
};

TEST_F(FileAccessRefusalTest, NeedsNothingWithoutAToken) {
  context_.access_token = "";
  EXPECT_EQ(Refusal("path=a"), "");
}

TEST_F(FileAccessRefusalTest, AcceptsTheTokenAndNoOther) {
  EXPECT_EQ(Refusal("path=a", kAccessTestToken), "");
  EXPECT_EQ(Refusal("path=a", "wrong"), "access token present in header but does not match");
  EXPECT_EQ(status_, 401);
}

TEST_F(FileAccessRefusalTest, AcceptsASignedLink) {
  EXPECT_EQ(Refusal("path=hello.txt&username=user&signature="
                    "v1_gUtH%2Fs9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E"),
            "");
}

TEST_F(FileAccessRefusalTest, RefusesWhatIsNotSigned) {
  EXPECT_EQ(Refusal("path=hello.txt"), "missing signature query parameter");
  EXPECT_EQ(status_, 401);
  EXPECT_EQ(Refusal("path=hello.txt&signature="), "invalid signature");
  EXPECT_EQ(Refusal("path=other.txt&username=user&signature="
                    "v1_gUtH%2Fs9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E"),
            "invalid signature");
  EXPECT_EQ(status_, 401);
}

TEST_F(FileAccessRefusalTest, RefusesALinkAfterItsTime) {
  SignedLink link{.path = "a", .expires_at_s = kAccessTestNow};
  std::string query = "path=a&signature=" + SignLink(link, kAccessTestToken);
  for (std::size_t at; (at = query.find('+')) != std::string::npos;) query.replace(at, 1, "%2B");
  EXPECT_EQ(Refusal(query + "&signature_expiration=1000"), "");
  // Another time than the signed one is no longer what was signed.
  EXPECT_EQ(Refusal(query + "&signature_expiration=2000"), "invalid signature");

  link.expires_at_s = kAccessTestNow - 1;
  query = "path=a&signature=" + SignLink(link, kAccessTestToken);
  for (std::size_t at; (at = query.find('+')) != std::string::npos;) query.replace(at, 1, "%2B");
  EXPECT_EQ(Refusal(query + "&signature_expiration=999"), "signature is already expired");
  EXPECT_EQ(status_, 401);
  Refusal(query + "&signature_expiration=soon");
  EXPECT_EQ(status_, 400);
}

}  // namespace
}  // namespace viv::agent
