#include "dialects/e2b/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/timestamp.h"

namespace viv::e2b {
namespace {

using ::testing::HasSubstr;
using Pairs = std::map<std::string, std::string>;

http::Request QueryRequest(std::string query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

TEST(MetadataFilterTest, ReadsWhatTheJavaScriptClientSends) {
  http::Request request = QueryRequest("metadata=a%252520b%3Dc%252526d%25253D%2525C3%2525A9");
  QueryFields query(request);
  auto filter = ParseMetadataFilter(*query.Text("metadata"));
  ASSERT_TRUE(filter);
  EXPECT_EQ(*filter, (Pairs{{"a b", "c&d=é"}}));
}

TEST(MetadataFilterTest, ReadsPlainPairsAndEmptyValues) {
  auto filter = ParseMetadataFilter("user=abc&app=&x+y=1%202");
  ASSERT_TRUE(filter);
  EXPECT_EQ(*filter, (Pairs{{"user", "abc"}, {"app", ""}, {"x y", "1 2"}}));
}

TEST(MetadataFilterTest, EmptyTextIsNoFilter) {
  auto filter = ParseMetadataFilter("");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->empty());
}

TEST(MetadataFilterTest, RefusesWhatIsNoPairOfTwo) {
  for (const char* text : {"a", "a=b=c", "a=b&", "&a=b", "a=b&&c=d", "==", "%zz=1", "a=%25zz"}) {
    auto filter = ParseMetadataFilter(text);
    EXPECT_FALSE(filter) << text;
  }
}

TEST(PageTokenTest, ComesBackAsItWas) {
  for (auto order : {PageToken::Order::kDescending, PageToken::Order::kAscending}) {
    PageToken token{1'790'000'000'123'456, "i0123456789abcdefghij", order};
    std::string text = EncodePageToken(token);
    EXPECT_EQ(text.find_first_of("+/="), std::string::npos);
    auto back = DecodePageToken(text, order);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, token);
  }
}

TEST(PageTokenTest, HoldsForItsOwnOrderOnly) {
  PageToken token{1'000'000, "iabc", PageToken::Order::kAscending};
  auto back = DecodePageToken(EncodePageToken(token), PageToken::Order::kDescending);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("other order"));
}

TEST(PageTokenTest, TakesNanosecondsAsTheVendorWritesThem) {
  std::string text = EncodeBase64Url("2026-10-03T00:38:42.322085214Z__iabc");
  auto back = DecodePageToken(text, PageToken::Order::kDescending);
  ASSERT_TRUE(back);
  EXPECT_EQ(TimeText(back->at_us), "2026-10-03T00:38:42.322085Z");
}

TEST(PageTokenTest, RefusesEveryOtherText) {
  for (const std::string& plain :
       {std::string(""), std::string("x"), std::string("2026-10-03T00:38:42Z"),
        std::string("2026-10-03T00:38:42Z__"), std::string("yesterday__iabc"),
        std::string("2026-10-03T00:38:42Z__iabc__desc"),
        std::string("2026-10-03T00:38:42Z__iabc__asc__asc")}) {
    EXPECT_FALSE(DecodePageToken(EncodeBase64Url(plain), PageToken::Order::kDescending)) << plain;
  }
  EXPECT_FALSE(DecodePageToken("not base64!", PageToken::Order::kDescending));
  EXPECT_FALSE(DecodePageToken(std::string(1000, 'A'), PageToken::Order::kDescending));
}

TEST(QueryFieldsTest, TellsABrokenEscapeFromAnAbsentParameter) {
  http::Request request = QueryRequest("a=%zz&b=1");
  QueryFields absent(request);
  EXPECT_FALSE(absent.Text("c"));
  EXPECT_TRUE(absent.ok());
  QueryFields broken(request);
  EXPECT_FALSE(broken.Text("a"));
  EXPECT_FALSE(broken.ok());
}

TEST(QueryFieldsTest, TakesWholeNumbersInTheirRange) {
  for (const char* good : {"limit=1", "limit=100", "x=1"}) {
    http::Request request = QueryRequest(good);
    QueryFields query(request);
    query.Limit();
    EXPECT_TRUE(query.ok()) << good;
  }
  for (const char* bad : {"limit=0", "limit=101", "limit=-1", "limit=", "limit=1.5", "limit=abc",
                          "limit=99999999999999999999", "limit=1x"}) {
    http::Request request = QueryRequest(bad);
    QueryFields query(request);
    query.Limit();
    EXPECT_FALSE(query.ok()) << bad;
  }
}

}  // namespace
}  // namespace viv::e2b
