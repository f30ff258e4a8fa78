#include "blobs/signed_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"

namespace viv::blobs {
namespace {

std::string SignForTest(std::string_view message) {
  return Sha256Hex("key" + std::string(message));
}

// The request that a client makes with a URL.
http::Request Following(const std::string& url, std::string method) {
  http::Request request;
  request.method = std::move(method);
  const std::size_t path = url.find("/blobs/"), mark = url.find('?');
  request.path = url.substr(path, mark - path);
  request.query = url.substr(mark + 1);
  request.parameters.emplace_back("object", request.path.substr(7));
  return request;
}

constexpr std::int64_t kNow = 1'700'000'000'000;

class SignedUrlTest : public ::testing::Test {
 protected:
  UrlCheck Check(const std::string& url, std::string method, std::int64_t later_s = 0) {
    http::Request request = Following(url, std::move(method));
    return CheckUrl(SignForTest, request, kNow + later_s * 1000);
  }
  const BlobName name_ = NameOf("ibox", BlobName::Kind::kUpload, "workspace");
  const std::string put_ = SignUrl(SignForTest, "http://h", name_, UrlMethod::kPut, kNow);
  const std::string get_ = SignUrl(SignForTest, "http://h", name_, UrlMethod::kGet, kNow);
};

TEST_F(SignedUrlTest, IsGoodForItsMethodForHalfAnHour) {
  EXPECT_EQ(Check(put_, "PUT"), UrlCheck::kValid);
  EXPECT_EQ(Check(get_, "GET"), UrlCheck::kValid);
  EXPECT_EQ(Check(get_, "HEAD"), UrlCheck::kValid);
  EXPECT_EQ(Check(put_, "PUT", 1799), UrlCheck::kValid);
  EXPECT_EQ(Check(put_, "PUT", 1800), UrlCheck::kExpired);
}

TEST_F(SignedUrlTest, IsWrongForEverythingElse) {
  EXPECT_EQ(Check(put_, "GET"), UrlCheck::kInvalid);
  EXPECT_EQ(Check(get_, "PUT"), UrlCheck::kInvalid);
  auto changed = [this](std::string_view what, std::string_view to) {
    std::string url = put_;
    url.replace(url.find(what), what.size(), to);
    return Check(url, "PUT");
  };
  EXPECT_EQ(changed("ibox", "iboy"), UrlCheck::kInvalid);
  EXPECT_EQ(changed("expires=17", "expires=18"), UrlCheck::kInvalid);
  EXPECT_EQ(changed("&signature=", "&signature=0"), UrlCheck::kInvalid);
  EXPECT_EQ(changed("&signature=", "&unsigned="), UrlCheck::kInvalid);
  EXPECT_EQ(Check(put_.substr(0, put_.size() - 1), "PUT"), UrlCheck::kInvalid);
}

TEST(BlobNameTest, ReadsOnlyWhatItWrote) {
  const BlobName name = NameOf("ibox0", BlobName::Kind::kDownload, "../../etc/passwd");
  EXPECT_EQ(ParseBlobName(name.Text()), name);
  EXPECT_EQ(name.leaf.find_first_not_of("d0123456789abcdef"), std::string::npos);
  for (std::string_view text :
       {"", "-", "a", "a-u", "a-u00", "../x-u0123456789012345678901234567890",
        "a-x0123456789012345678901234567890", "A-u0123456789012345678901234567890",
        "a-u012345678901234567890123456789g"}) {
    EXPECT_FALSE(ParseBlobName(text)) << text;
  }
}

}  // namespace
}  // namespace viv::blobs
