#include "base/base64.h"

#include <gtest/gtest.h>

namespace viv {
namespace {

TEST(Base64Test, WritesTheStandardAlphabetWithPadding) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foo"), "Zm9v");
  EXPECT_EQ(EncodeBase64("\xfb\xff\xfe"), "+//+");
}

TEST(Base64Test, ReadsEitherAlphabetWithAndWithoutPadding) {
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm8"), "fo");
  EXPECT_EQ(DecodeBase64("-__-"), "\xfb\xff\xfe");
  EXPECT_EQ(DecodeBase64(""), "");
}

TEST(Base64Test, ReadsBackEveryByte) {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
    bytes += static_cast<char>(length);
  }
}

TEST(Base64Test, RefusesWhatIsNoBase64) {
  for (const char* text : {"Z", "Zm9vY", "Zm8==", "Zm9v=", "Zm9v====", "====", "=", "Zm 8",
                           "Zm8=Zm8=", "Zm9\xff", "Zm9="}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(Base64Test, WritesForUrlsWithoutPadding) {
  EXPECT_EQ(EncodeBase64Url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(EncodeBase64Url("a"), "YQ");
  EXPECT_EQ(DecodeBase64(EncodeBase64Url("\xff\xfe")), "\xff\xfe");
}

}  // namespace
}  // namespace viv
