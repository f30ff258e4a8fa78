#include "cli/account_limits.h"

#include <gtest/gtest.h>

namespace viv::cli {
namespace {

TEST(ParseByteSizeTest, ReadsSizesWithAndWithoutUnits) {
  EXPECT_EQ(ParseByteSize("1000").value_or(-1), 1000);
  EXPECT_EQ(ParseByteSize("0").value_or(-1), 0);
  EXPECT_EQ(ParseByteSize("16GiB").value_or(-1), 16LL << 30);
  EXPECT_EQ(ParseByteSize("16G").value_or(-1), 16LL << 30);
  EXPECT_EQ(ParseByteSize("1.5 MiB").value_or(-1), 3LL << 19);
  EXPECT_EQ(ParseByteSize("2kB").value_or(-1), 2048);
  EXPECT_EQ(ParseByteSize("1T").value_or(-1), 1LL << 40);
}

TEST(ParseByteSizeTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "GiB", "-1", "1XB", "1GGB", "1e30", "nan", "1 GiBs", "12 34"})
    EXPECT_FALSE(ParseByteSize(text)) << text;
}

}  // namespace
}  // namespace viv::cli
