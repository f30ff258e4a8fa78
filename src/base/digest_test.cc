#include "base/digest.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace viv {
namespace {

// FIPS 180-2 and RFC 4231, test case 2.
TEST(DigestTest, AreThePublishedOnes) {
  EXPECT_EQ(Hex(Sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Sha256Hex("abc"), Hex(Sha256("abc")));
}

TEST(DigestTest, TakesBytesOfAnyKind) {
  EXPECT_EQ(Hex(std::string_view("\0\xff\x7f", 3)), "00ff7f");
  EXPECT_EQ(Hex(""), "");
  EXPECT_NE(Sha256(std::string_view("\0", 1)), Sha256(""));
  EXPECT_NE(HmacSha256("", ""), HmacSha256("", std::string_view("\0", 1)));
}

}  // namespace
}  // namespace viv
