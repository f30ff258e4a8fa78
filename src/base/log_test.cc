#include "base/log.h"

#include <gtest/gtest.h>

namespace viv::log {
namespace {

TEST(LogTest, QuotesWhatWouldForgeAField) {
  EXPECT_EQ(Render(Level::kInfo, "x.done", {{"id", "a b=c\nd"}, {"n", 3}}, Format::kText, 0),
            "1970-01-01T00:00:00.000000+00:00 info  x.done id=\"a b=c\\nd\" n=3");
}

TEST(LogTest, WritesJsonWithTypedValues) {
  EXPECT_EQ(
      Render(Level::kWarn, "x.done", {{"ok", true}, {"name", "q\"t"}}, Format::kJson, 0),
      R"({"time":"1970-01-01T00:00:00.000000+00:00","level":"warn","event":"x.done","ok":true,"name":"q\"t"})");
}

}  // namespace
}  // namespace viv::log
