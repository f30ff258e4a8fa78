#include "engine/functions/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/functions/number_text.h"

namespace viv::engine::functions {
namespace {

TEST(NumberTextTest, WritesDoublesAsPythonDoes) {
  EXPECT_EQ(ShortestNumber(0.1), "0.1");
  EXPECT_EQ(ShortestNumber(1), "1.0");
  EXPECT_EQ(ShortestNumber(-0.0), "-0.0");
  EXPECT_EQ(ShortestNumber(1e15), "1000000000000000.0");
  EXPECT_EQ(ShortestNumber(1e16), "1e+16");
  EXPECT_EQ(ShortestNumber(0.0001), "0.0001");
  EXPECT_EQ(ShortestNumber(0.00001234), "1.234e-05");
  EXPECT_EQ(ShortestNumber(5e-324), "5e-324");
  EXPECT_EQ(ShortestNumber(-INFINITY), "-inf");
  EXPECT_EQ(ShortestNumber(NAN), "nan");
}

TEST(NumberTest, RoundsWholeNumbersToTheNearestDouble) {
  Integer odd = (Integer(1) << 54) + 3;  // halfway is 2, so 3 goes up to 4
  EXPECT_EQ(*ToDouble(odd), std::ldexp(1.0, 54) + 4);
  EXPECT_EQ(*ToDouble((Integer(1) << 100) + 1), std::ldexp(1.0, 100));
  EXPECT_EQ(*ToDouble(-(Integer(1) << 70)), -std::ldexp(1.0, 70));
  EXPECT_FALSE(ToDouble(Integer(1) << 1024));
}

TEST(NumberTest, ComparesExactlyAcrossKinds) {
  Integer large = (Integer(1) << 53) + 1;
  EXPECT_TRUE(Compare(large, std::ldexp(1.0, 53)) > 0);
  EXPECT_TRUE(Compare(std::ldexp(1.0, 53), large) < 0);
  EXPECT_TRUE(Compare(Integer(2), 2.0) == 0);
  EXPECT_TRUE(Compare(Integer(2), 2.5) < 0);
  EXPECT_TRUE(Compare(Integer(-2), -2.5) > 0);
  EXPECT_TRUE(Compare(Integer(2), INFINITY) < 0);
  EXPECT_TRUE(Compare(Integer(2), NAN) == std::partial_ordering::unordered);
}

TEST(NumberTest, LimitsTheSizeOfWholeNumbers) {
  EXPECT_TRUE(Checked((Integer(1) << kIntegerBitsMax) - 1));
  EXPECT_FALSE(Checked(Integer(1) << kIntegerBitsMax));
  EXPECT_FALSE(Power(Integer(10), Integer(4400)));
  EXPECT_TRUE(Power(Integer(-1), Integer(1) << 200));
}

TEST(NumberTest, RefusesToTruncateWhatIsNoNumber) {
  EXPECT_EQ(Truncated(NAN).error().message, "cannot convert float NaN to integer");
  EXPECT_EQ(Truncated(INFINITY).error().message, "cannot convert float infinity to integer");
  EXPECT_EQ(*Truncated(-1e300), Integer(-1e300));
}

}  // namespace
}  // namespace viv::engine::functions
