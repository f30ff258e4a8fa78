#include "network/name_memory.h"

#include <gtest/gtest.h>

namespace viv::network {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

const NameMemory::Time kStart{};
const Address kSomewhere = *ParseAddress("1.2.3.4");

TEST(NameMemoryTest, GivesAllNamesOfAnAddressTheLatestFirst) {
  NameMemory memory;
  memory.Remember("a.org", kSomewhere, 60, kStart);
  memory.Remember("b.org", kSomewhere, 60, kStart);
  memory.Remember("a.org", kSomewhere, 60, kStart);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart), (Names{"a.org", "b.org"}));
  EXPECT_EQ(memory.NamesOf(*ParseAddress("::ffff:1.2.3.4"), kStart).size(), 2U);
  EXPECT_TRUE(memory.NamesOf(*ParseAddress("1.2.3.5"), kStart).empty());
}

TEST(NameMemoryTest, ForgetsAfterTheTimeToLive) {
  NameMemory memory;
  memory.Remember("short.org", kSomewhere, 0, kStart);
  memory.Remember("long.org", kSomewhere, 3600, kStart);
  memory.Remember("endless.org", kSomewhere, 0xffffffff, kStart);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(599)).size(), 3U);
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(600)), (Names{"endless.org", "long.org"}));
  EXPECT_EQ(memory.NamesOf(kSomewhere, kStart + seconds(3600)), (Names{"endless.org"}));
  EXPECT_TRUE(memory.NamesOf(kSomewhere, kStart + seconds(86400)).empty());
}

TEST(NameMemoryTest, ForgetsTheOldestBeyondItsBounds) {
  NameMemory memory;
  for (std::uint32_t i = 0; i < NameMemory::kAddressesMax + 100; ++i) {
    std::string raw = {1, static_cast<char>(i >> 16), static_cast<char>(i >> 8),
                       static_cast<char>(i)};
    memory.Remember("many.org", AddressFromRaw(raw), 60, kStart);
  }
  EXPECT_EQ(memory.size(), NameMemory::kAddressesMax);
  EXPECT_TRUE(memory.NamesOf(*ParseAddress("1.0.0.99"), kStart).empty());
  EXPECT_FALSE(memory.NamesOf(*ParseAddress("1.0.0.100"), kStart).empty());
  for (int i = 0; i < 100; ++i)
    memory.Remember("n" + std::to_string(i) + ".org", kSomewhere, 60, kStart);
  Names names = memory.NamesOf(kSomewhere, kStart);
  EXPECT_EQ(names.size(), NameMemory::kNamesPerAddressMax);
  EXPECT_EQ(names.front(), "n99.org");
}

}  // namespace
}  // namespace viv::network
