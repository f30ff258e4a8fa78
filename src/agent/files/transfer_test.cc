// The small rules of transfers: encodings, ranges, headers, gzip.

#include <gtest/gtest.h>

#include "agent/files/byte_range.h"
#include "agent/files/content_coding.h"
#include "agent/files/gzip.h"
#include "agent/files/media_type.h"

namespace viv::agent {
namespace {

TEST(ContentCodingTest, ChoosesWhatTheClientLikesBest) {
  EXPECT_EQ(ChooseContentCoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("gzip, deflate"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("br, GZIP;q=0.5"), ContentCoding::kGzip);
  EXPECT_EQ(ChooseContentCoding("gzip;q=0.5, identity"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("gzip;q=0"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("br"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("*"), ContentCoding::kIdentity);
  EXPECT_EQ(ChooseContentCoding("*, identity;q=0"), ContentCoding::kGzip);
}

TEST(ContentCodingTest, FindsNothingWhereBothAreRefused) {
  EXPECT_EQ(ChooseContentCoding("br, identity;q=0"), std::nullopt);
  EXPECT_EQ(ChooseContentCoding("identity;q=0, gzip;q=0.000"), std::nullopt);
}

TEST(ContentCodingTest, KnowsGzipBodies) {
  EXPECT_EQ(ParseContentEncoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(ParseContentEncoding("Gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ParseContentEncoding("br"), std::nullopt);
}

std::string RangeText(std::string_view header, std::uint64_t size) {
  RangeChoice choice = ChooseRange(header, size);
  if (choice.kind == RangeChoice::Kind::kWhole) return "whole";
  if (choice.kind == RangeChoice::Kind::kUnsatisfiable) return "beyond";
  return std::to_string(choice.range.first) + "+" + std::to_string(choice.range.count);
}

TEST(ByteRangeTest, ReadsRanges) {
  EXPECT_EQ(RangeText("", 10), "whole");
  EXPECT_EQ(RangeText("bytes=0-0", 10), "0+1");
  EXPECT_EQ(RangeText("bytes=2-4", 10), "2+3");
  EXPECT_EQ(RangeText("bytes=5-", 10), "5+5");
  EXPECT_EQ(RangeText("bytes=5-99999999999999999", 10), "5+5");
  EXPECT_EQ(RangeText("bytes=-3", 10), "7+3");
  EXPECT_EQ(RangeText("bytes=-30", 10), "0+10");
  EXPECT_EQ(RangeText("bytes=0-1,4-5", 10), "whole");
  EXPECT_EQ(RangeText("bytes=0-", 0), "whole");
}

TEST(ByteRangeTest, RefusesRangesOutside) {
  for (const char* header :
       {"bytes=10-", "bytes=10-20", "bytes=4-2", "bytes=-0", "bytes=-", "bytes=a-b",
        "bytes=", "bytes=1", "lines=1-2", "bytes=+1-2", "bytes=0-99999999999999999999"}) {
    EXPECT_EQ(RangeText(header, 10), "beyond") << header;
  }
}

TEST(MediaTypeTest, NamesFilesInDispositions) {
  EXPECT_EQ(DispositionOf("inline", "a.txt"), "inline; filename=a.txt");
  EXPECT_EQ(DispositionOf("inline", "a b\".txt"), "inline; filename=\"a b\\\".txt\"");
  EXPECT_EQ(DispositionOf("inline", "ü\r\n"), "inline; filename*=utf-8''%C3%BC%0D%0A");
  EXPECT_EQ(DispositionOf("attachment", "a.txt"), "attachment; filename=a.txt");
}

TEST(MediaTypeTest, GuessesContentTypesByEnding) {
  EXPECT_EQ(ContentTypeOf("/a/b.JSON"), "application/json");
  EXPECT_EQ(ContentTypeOf("/a.json/b"), "application/octet-stream");
}

TEST(MediaTypeTest, RefusesBrokenHeaders) {
  EXPECT_FALSE(ParseMediaType(""));
  EXPECT_FALSE(ParseMediaType("a/b; c"));
  EXPECT_FALSE(ParseMediaType("a/b; c=\"d"));
  EXPECT_FALSE(ParseMediaType("a/b; c=\"d\"e"));
  EXPECT_FALSE(ParseMediaType("a/b; c d=e"));
  EXPECT_FALSE(ParseMediaType("a/b; c*=latin1''x"));
  EXPECT_TRUE(ParseMediaType("a/b;"));
}

std::string Gzipped(std::string_view bytes) {
  GzipWriter writer;
  std::string out = writer.Add(bytes);
  return out + writer.Finish();
}

Result<std::string> Inflated(std::string_view bytes, std::size_t step, std::uint64_t bytes_max) {
  GzipReader reader(bytes_max);
  std::string out;
  for (;;) {
    Result<std::string> piece = reader.Next();
    if (!piece) return piece;
    out += *piece;
    if (!piece->empty()) continue;
    if (bytes.empty()) break;
    reader.Feed(std::string(bytes.substr(0, step)));
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
  if (!reader.complete()) return Fail(ErrorCode::kInvalidArgument, "incomplete");
  return out;
}

TEST(GzipTest, ReadsWhatItWritesHoweverItIsCut) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919);
  std::string packed = Gzipped(text);
  EXPECT_LT(packed.size(), text.size());
  for (std::size_t step : {std::size_t{1}, std::size_t{1000}, packed.size()}) {
    EXPECT_EQ(Inflated(packed, step, 1 << 30).value_or(""), text);
  }
}

TEST(GzipTest, ReadsSeveralMembers) {
  EXPECT_EQ(Inflated(Gzipped("one") + Gzipped("two"), 5, 100).value_or(""), "onetwo");
}

TEST(GzipTest, RefusesBrokenInputAndBombs) {
  std::string packed = Gzipped("hello hello hello");
  EXPECT_FALSE(Inflated(packed.substr(0, packed.size() - 1), 100, 100));
  EXPECT_FALSE(Inflated("plain text", 100, 100));
  EXPECT_FALSE(Inflated(packed + "x", 100, 100));
  packed[packed.size() - 6] ^= 1;  // the checksum
  EXPECT_FALSE(Inflated(packed, 100, 100));
  Result<std::string> bomb = Inflated(Gzipped(std::string(10'000'000, 'x')), 100, 1'000'000);
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace viv::agent
