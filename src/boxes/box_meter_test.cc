#include "boxes/box_meter.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

runtime::Usage CpuUsed(std::int64_t cpu_us) {
  runtime::Usage usage;
  usage.cpu_us = cpu_us;
  usage.memory_bytes = 100;
  usage.memory_cache_bytes = 30;
  return usage;
}

TEST(BoxMeterTest, CpuIsWhatWasUsedSinceTheLastPoint) {
  BoxMeter meter;
  BoxSpec spec;
  meter.Add(1'000'000, CpuUsed(500'000), {}, spec);
  meter.Add(3'000'000, CpuUsed(1'500'000), {}, spec);
  auto points = meter.points();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].cpu_used_percent, 0);
  EXPECT_DOUBLE_EQ(points[1].cpu_used_percent, 50);
  EXPECT_EQ(points[1].memory_used_bytes, 70);
}

TEST(BoxMeterTest, ARebootedBoxBeginsAgainAtZero) {
  BoxMeter meter;
  meter.Add(1'000'000, CpuUsed(900'000), {}, BoxSpec());
  meter.Add(2'000'000, CpuUsed(10), {}, BoxSpec());
  EXPECT_EQ(meter.points()[1].cpu_used_percent, 0);
}

TEST(BoxMeterTest, KeepsTheNewestHour) {
  BoxMeter meter;
  EXPECT_TRUE(meter.IsDue(0));
  for (std::size_t i = 0; i < kMeterPointsMax + 5; ++i)
    meter.Add(static_cast<std::int64_t>(i) * kMeterEveryUs, CpuUsed(0), {}, BoxSpec());
  auto points = meter.points();
  ASSERT_EQ(points.size(), kMeterPointsMax);
  EXPECT_EQ(points.front().at_us, 5 * kMeterEveryUs);
  EXPECT_FALSE(meter.IsDue(points.back().at_us + 1));
  EXPECT_TRUE(meter.IsDue(points.back().at_us + kMeterEveryUs));
}

}  // namespace
}  // namespace viv::boxes
