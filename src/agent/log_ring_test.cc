#include "agent/log_ring.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

json::array Entries(const LogRing& ring, std::uint64_t after = 0) {
  return ParseJson(ring.Render(after))->at("logs").as_array();
}

TEST(LogRingTest, KeepsEntriesInOrder) {
  LogRing ring;
  EXPECT_EQ(ring.Render(), R"({"logs":[]})");
  ring.Add(LogRing::Level::kInfo, "one", {{"pid", 7}});
  ring.Add(LogRing::Level::kError, "two \"quoted\"");
  json::array entries = Entries(ring);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].at("message"), "one");
  EXPECT_EQ(entries[0].at("level"), "info");
  EXPECT_EQ(entries[0].at("fields").at("pid"), 7);
  EXPECT_TRUE(std::string_view(entries[0].at("timestamp").as_string()).ends_with("Z"));
  EXPECT_EQ(entries[1].at("message"), "two \"quoted\"");
  EXPECT_EQ(entries[1].at("sequence"), 2);
}

TEST(LogRingTest, ForgetsTheOldest) {
  LogRing ring;
  for (std::size_t i = 0; i < LogRing::kEntriesMax + 5; ++i) ring.Add(LogRing::Level::kInfo, "x");
  EXPECT_EQ(Entries(ring).size(), LogRing::kEntriesMax);
  EXPECT_EQ(Entries(ring).front().at("sequence"), 6);
  EXPECT_EQ(Entries(ring, LogRing::kEntriesMax + 3).size(), 2u);
  EXPECT_EQ(Entries(ring, 1'000'000).size(), 0u);
}

TEST(LogRingTest, LimitsBytes) {
  LogRing ring;
  ring.Add(LogRing::Level::kInfo, std::string(100'000, 'm'), {{"a", std::string(100'000, 'f')}});
  EXPECT_LT(ring.Render().size(), LogRing::kEntryBytesMax);
  EXPECT_EQ(WriteJson(Entries(ring)[0].at("fields")), "{}");
  for (int i = 0; i < 1'000; ++i) {
    ring.Add(LogRing::Level::kInfo, "m", {{"a", std::string(3'000, 'f')}});
  }
  EXPECT_LT(ring.Render().size(), LogRing::kBytesMax + LogRing::kEntriesMax + 20);
}

}  // namespace
}  // namespace viv::agent
