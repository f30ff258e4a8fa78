#include "dialects/e2b/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/e2b/base64.h"
#include "dialects/e2b/time_text.h"

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
  std::string text = Base64Encode("2026-10-03T00:38:42.322085214Z__iabc", Base64Alphabet::kUrl);
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
    EXPECT_FALSE(
        DecodePageToken(Base64Encode(plain, Base64Alphabet::kUrl), PageToken::Order::kDescending))
        << plain;
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

TEST(TimeTextTest, ReadsOffsetsAndFractions) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ParseTime("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(ParseTime("1969-12-31T23:59:59.5Z"), -500'000);
  EXPECT_EQ(ParseTime("2026-02-28T12:00:00.123Z"), ParseTime("2026-02-28T12:00:00.123000999Z"));
  EXPECT_EQ(TimeText(*ParseTime("2026-02-28T12:00:00.123456Z")), "2026-02-28T12:00:00.123456Z");
  for (const char* edge : {"0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"})
    EXPECT_EQ(TimeText(*ParseTime(edge)), edge);
  EXPECT_EQ(TimeText(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeTextTest, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+99:00",
        "1790000000", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:60Z"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(Base64Test, GoesBothWays) {
  EXPECT_EQ(Base64Encode("\xfb\xff\xfe", Base64Alphabet::kStandard), "+//+");
  EXPECT_EQ(Base64Encode("\xfb\xff\xfe", Base64Alphabet::kUrl), "-__-");
  for (const std::string& text : {std::string(), std::string("a"), std::string("ab"),
                                  std::string("abc"), std::string("\0\xff", 2)}) {
    EXPECT_EQ(Base64UrlDecode(Base64Encode(text, Base64Alphabet::kUrl)), text);
  }
  EXPECT_EQ(Base64UrlDecode("YQ=="), "a");
  for (const char* bad : {"A", "AA+A", "A A ", "A=A="}) EXPECT_FALSE(Base64UrlDecode(bad)) << bad;
}

}  // namespace
}  // namespace viv::e2b
