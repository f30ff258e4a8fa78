#include "worlds/faults.h"

#include <gtest/gtest.h>

namespace viv::worlds {
namespace {

json::value Document(std::string_view rules) {
  return *ParseJson(R"({"faults": )" + std::string(rules) + "}");
}

TEST(FaultsTest, CountsInsteadOfDrawing) {
  Faults faults;
  ASSERT_TRUE(
      faults.Set(Document(R"([{"tool": "a_*", "error": "boom", "every": 2, "times": 2}])")));
  std::string seen;
  for (int i = 0; i < 8; ++i) seen += faults.Next("a_tool").error ? 'x' : '.';
  EXPECT_EQ(seen, ".x.x....");
  EXPECT_FALSE(faults.Next("b_tool").error);
}

TEST(FaultsTest, ARateLimitLetsSomeCallsPass) {
  Faults faults;
  ASSERT_TRUE(faults.Set(Document(
      R"([{"tool": "*", "rate_limit": {"calls": 2, "retry_after_s": 9}}, {"tool": "*", "latency_ms": 5}])")));
  EXPECT_FALSE(faults.Next("x").error);
  EXPECT_FALSE(faults.Next("x").error);
  FaultEffect effect = faults.Next("x");
  EXPECT_EQ(effect.error, "rate_limited: retry after 9 seconds");
  EXPECT_EQ(effect.latency_ms, 5);
}

TEST(FaultsTest, RefusesWhatItDoesNotUnderstandAndKeepsWhatItHad) {
  Faults faults;
  ASSERT_TRUE(faults.Set(Document(R"([{"tool": "*", "error": "kept"}])")));
  for (std::string_view wrong :
       {"5", "[5]", "[{}]", R"([{"tool": "*"}])", R"([{"tool": "*", "error": 5}])",
        R"([{"tool": "*", "status": 200}])", R"([{"tool": "*", "latency_ms": 600000}])",
        R"([{"tool": "*", "error": "x", "everi": 1}])"}) {
    EXPECT_FALSE(faults.Set(Document(wrong))) << wrong;
  }
  EXPECT_EQ(faults.Next("x").error, "kept");
}

}  // namespace
}  // namespace viv::worlds
