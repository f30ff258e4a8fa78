#include "base/ids.h"

#include <gtest/gtest.h>

#include <set>

namespace viv {
namespace {

TEST(IdsTest, UuidsAreVersionFourAndDistinct) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    std::string id = RandomUuid();
    EXPECT_TRUE(IsUuid(id)) << id;
    EXPECT_EQ(id[14], '4');
    EXPECT_TRUE(seen.insert(id).second);
  }
}

TEST(IdsTest, ANameHasAlwaysTheSameUuidOfVersionFive) {
  std::string id = NameUuid("default");
  EXPECT_TRUE(IsUuid(id)) << id;
  EXPECT_EQ(id[14], '5');
  EXPECT_EQ(NameUuid("default"), id);
  EXPECT_NE(NameUuid("Default"), id);
  EXPECT_NE(NameUuid(""), id);
}

TEST(IdsTest, IsUuidRefusesOtherShapes) {
  EXPECT_FALSE(IsUuid(""));
  EXPECT_FALSE(IsUuid("0123456789abcdef0123456789abcdef0123"));
  EXPECT_FALSE(IsUuid("../../../../etc/passwd-aaaa-bbbb-ccc"));
}

TEST(IdsTest, RandomHexHasTheAskedLength) {
  EXPECT_EQ(RandomHex(40).size(), 40U);
  EXPECT_EQ(RandomHex(7).size(), 7U);
}

TEST(IdsTest, RandomLettersAndDigitsHaveTheAskedLengthAndNoOtherCharacters) {
  const std::string text = RandomLettersAndDigits(1000);
  EXPECT_EQ(text.size(), 1000U);
  EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), std::string::npos);
  EXPECT_EQ(std::set<char>(text.begin(), text.end()).size(), 36U);
  EXPECT_NE(RandomLettersAndDigits(20), RandomLettersAndDigits(20));
}

TEST(IdsTest, Sha256MatchesTheStandardVector) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace viv
