#include "blobs/blob_ranges.h"

#include <gtest/gtest.h>

namespace viv::blobs {
namespace {

using Kind = RangeChoice::Kind;

TEST(BlobRangesTest, ReadsOneRange) {
  auto at = [](std::string_view header) { return ChooseRange(header, 100); };
  EXPECT_EQ(at("bytes=0-9").span.count, 10U);
  EXPECT_EQ(at("bytes=90-").span.first, 90U);
  EXPECT_EQ(at("bytes=90-").span.count, 10U);
  EXPECT_EQ(at("bytes=-10").span.first, 90U);
  EXPECT_EQ(at("bytes=-1000").span.count, 100U);
  EXPECT_EQ(at("bytes=50-1000").span.count, 50U);
  EXPECT_EQ(at("bytes=99-99").kind, Kind::kPart);
}

TEST(BlobRangesTest, TellsWhatThereIsNotFromWhatIsNoRange) {
  EXPECT_EQ(ChooseRange("bytes=100-", 100).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(ChooseRange("bytes=-0", 100).kind, Kind::kUnsatisfiable);
  EXPECT_EQ(ChooseRange("bytes=0-", 0).kind, Kind::kUnsatisfiable);
  for (std::string_view header :
       {"", "bytes=", "bytes=a-b", "bytes=5-1", "bytes=0-1,3-4", "lines=0-1", "bytes=0",
        "bytes=--1", "bytes=99999999999999999999-"})
    EXPECT_EQ(ChooseRange(header, 100).kind, Kind::kWhole) << header;
}

TEST(BlobRangesTest, ReadsThePieceOfAnUpload) {
  auto range = ReadContentRange("bytes 0-99/1000");
  ASSERT_TRUE(range && range->span);
  EXPECT_EQ(range->span->count, 100U);
  EXPECT_EQ(range->total, 1000U);
  EXPECT_FALSE(ReadContentRange("bytes 5-9/*")->total);
  EXPECT_FALSE(ReadContentRange("bytes */7")->span);
  for (std::string_view header : {"", "bytes", "bytes 0-99", "bytes 9-5/10", "bytes 0-10/10",
                                  "bytes x/10", "bytes 0-1/x", "items 0-1/2", "bytes -5/10"})
    EXPECT_FALSE(ReadContentRange(header)) << header;
}

}  // namespace
}  // namespace viv::blobs
