#include "network/resolved_names.h"

#include <gtest/gtest.h>

namespace viv::network {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

const ResolvedNames::Time kStart{};
const Address kSomewhere = *ParseAddress("1.2.3.4");

TEST(ResolvedNamesTest, GivesAllNamesOfAnAddressTheLatestFirst) {
  ResolvedNames memory;
  memory.Add("a.org", kSomewhere, 60, kStart);
  memory.Add("b.org", kSomewhere, 60, kStart);
  memory.Add("a.org", kSomewhere, 60, kStart);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart), (Names{"a.org", "b.org"}));
  EXPECT_EQ(memory.NamesOf(*ParseAddress("::ffff:1.2.3.4"), kStart).size(), 2U);
  EXPECT_TRUE(memory.NamesOf(*ParseAddress("1.2.3.5"), kStart).empty());
}

TEST(ResolvedNamesTest, ForgetsAfterTheTimeToLive) {
  ResolvedNames memory;
  memory.Add("short.org", kSomewhere, 0, kStart);
  memory.Add("long.org", kSomewhere, 3600, kStart);
  memory.Add("endless.org", kSomewhere, 0xffffffff, kStart);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(599)).size(), 3U);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(600)), (Names{"endless.org", "long.org"}));
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(3600)), (Names{"endless.org"}));
  EXPECT_TRUE(memory.NamesOf(kSomewhere, kStart + seconds(86400)).empty());
}

TEST(ResolvedNamesTest, ForgetsTheOldestBeyondItsBounds) {
  ResolvedNames memory;
  for (std::uint32_t i = 0; i < ResolvedNames::kAddressesMax + 100; ++i) {
    std::string raw = {1, static_cast<char>(i >> 16), static_cast<char>(i >> 8),
                       static_cast<char>(i)};
    memory.Add("many.org", AddressFromRaw(raw), 60, kStart);
  }
  EXPECT_EQ(memory.size(), ResolvedNames::kAddressesMax);
  EXPECT_TRUE(memory.NamesOf(*ParseAddress("1.0.0.99"), kStart).empty());
  EXPECT_FALSE(memory.NamesOf(*ParseAddress("1.0.0.100"), kStart).empty());
  for (int i = 0; i < 100; ++i)
    memory.Add("n" + std::to_string(i) + ".org", kSomewhere, 60, kStart);
  Names names = memory.NamesOf(kSomewhere, kStart);
  EXPECT_EQ(names.size(), ResolvedNames::kNamesPerAddressMax);
  EXPECT_EQ(names.front(), "n99.org");
}

}  // namespace
}  // namespace viv::network
