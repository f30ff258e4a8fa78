#include "agent/metrics.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace viv::agent {
namespace {

class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    char pattern[] = "/tmp/viv-metrics-XXXXXX";
    folder_ = ::mkdtemp(pattern);
  }
  ~MetricsTest() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string folder_;
};

TEST_F(MetricsTest, ReadsMemoryAndTheShareOfTheCpu) {
  Write("meminfo", "MemTotal:  2048 kB\nMemFree: 1 kB\nMemAvailable: 1024 kB\nCached:  512 kB\n");
  Write("stat", "cpu  100 0 100 200 0 0 0 0 50 0\ncpu0 1 1 1 1\n");
  Metrics metrics(folder_, "/");
  json::object first = metrics.Read();
  EXPECT_EQ(first.at("mem_total"), 2048u * 1024);
  EXPECT_EQ(first.at("mem_used"), 1024u * 1024);
  EXPECT_EQ(first.at("mem_cache"), 512u * 1024);
  EXPECT_EQ(first.at("mem_total_mib"), 2u);
  EXPECT_EQ(first.at("cpu_used_pct"), 50.0);
  Write("stat", "cpu  110 0 100 290 0 0 0 0 50 0\n");
  EXPECT_EQ(metrics.Read().at("cpu_used_pct"), 10.0);
  EXPECT_EQ(metrics.Read().at("cpu_used_pct"), 0.0);
}

TEST_F(MetricsTest, ReadsTheRealOnes) {
  json::object real = Metrics("/proc", "/").Read();
  EXPECT_GT(real.at("cpu_count").to_number<int>(), 0);
  EXPECT_GT(real.at("mem_total").to_number<std::uint64_t>(), 0u);
  EXPECT_GT(real.at("disk_total").to_number<std::uint64_t>(), 0u);
  EXPECT_GT(real.at("ts").to_number<std::int64_t>(), 1'700'000'000);
}

TEST_F(MetricsTest, IsZeroWhereNothingCanBeRead) {
  Write("meminfo", "MemTotal\nMemTotal: many\n");
  Write("stat", "");
  json::object none = Metrics(folder_, "/nowhere").Read();
  EXPECT_EQ(none.at("mem_total"), 0u);
  EXPECT_EQ(none.at("cpu_used_pct"), 0.0);
  EXPECT_EQ(none.at("disk_total"), 0u);
}

}  // namespace
}  // namespace viv::agent
