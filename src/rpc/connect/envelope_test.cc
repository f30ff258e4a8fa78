#include "rpc/connect/envelope.h"

#include <gtest/gtest.h>

namespace viv::connect {
namespace {

TEST(EnvelopeTest, PutsFlagsAndLengthBeforeTheMessage) {
  EXPECT_EQ(WrapEnvelope(0, "{}"), std::string("\0\0\0\0\2{}", 7));
  EXPECT_EQ(WrapEnvelope(kFlagEndStream, std::string(0x10203, 'x')).substr(0, 5),
            std::string("\2\0\1\2\3", 5));
}

TEST(EnvelopeTest, FindsMessagesHoweverTheBytesAreCut) {
  std::string bytes = WrapEnvelope(0, "one") + WrapEnvelope(0, "") + WrapEnvelope(2, "three");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    EnvelopeSplitter splitter;
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      splitter.Feed(std::string_view(bytes).substr(at, step));
      for (;;) {
        auto next = splitter.Next();
        ASSERT_TRUE(next.has_value());
        if (!next->has_value()) break;
        seen += std::to_string((*next)->flags) + (*next)->message + ";";
      }
    }
    EXPECT_EQ(seen, "0one;0;2three;") << "in steps of " << step;
    EXPECT_TRUE(splitter.empty());
  }
}

TEST(EnvelopeTest, KnowsThatBytesAreLeftOver) {
  EnvelopeSplitter splitter;
  splitter.Feed(std::string_view("\0\0\0\0\2{", 6));
  EXPECT_FALSE(splitter.Next()->has_value());
  EXPECT_FALSE(splitter.empty());
}

TEST(EnvelopeTest, RefusesCompressionUnknownFlagsAndTooMuch) {
  EnvelopeSplitter compressed;
  compressed.Feed(std::string_view("\1\0\0\0\0", 5));
  EXPECT_EQ(compressed.Next().error().code, Code::kUnimplemented);
  EnvelopeSplitter flagged;
  flagged.Feed(std::string_view("\x40\0\0\0\0", 5));
  EXPECT_EQ(flagged.Next().error().code, Code::kInvalidArgument);
  EnvelopeSplitter large;  // refused by its head, before a byte of it came
  large.Feed(std::string_view("\0\1\0\0\1", 5));
  EXPECT_EQ(large.Next().error().code, Code::kResourceExhausted);
  EnvelopeSplitter just_fits;
  just_fits.Feed(std::string_view("\0\1\0\0\0", 5));
  EXPECT_TRUE(just_fits.Next().has_value());
}

}  // namespace
}  // namespace viv::connect
