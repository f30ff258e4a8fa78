#include "accounts/sealer.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace viv::accounts {
namespace {

constexpr std::string_view kPurpose = "langsmith.header:box";

TEST(SealerTest, WhatWasSealedOpensAgain) {
  Sealer secrets("server secret");
  for (const std::string& plain : {std::string(), std::string("Bearer s3cret"),
                                   std::string("\0\xff\n", 3), std::string(100'000, 'x')}) {
    std::string sealed = secrets.Seal(kPurpose, plain);
    auto opened = secrets.Open(kPurpose, sealed);
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ(*opened, plain);
  }
  // The next start of the server knows no more than its secret.
  std::string sealed = secrets.Seal(kPurpose, "kept");
  EXPECT_EQ(Sealer("server secret").Open(kPurpose, sealed).value(), "kept");
}

TEST(SealerTest, ASealedSecretIsPrintableAndShowsNothing) {
  Sealer secrets("server secret");
  std::string sealed = secrets.Seal(kPurpose, "Bearer s3cret");
  EXPECT_TRUE(sealed.starts_with("v1."));
  EXPECT_EQ(
      sealed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "-_."),
      std::string::npos);
  EXPECT_EQ(sealed.find("s3cret"), std::string::npos);
  EXPECT_EQ(sealed.find(EncodeBase64Url("Bearer s3cret")), std::string::npos);
  EXPECT_NE(sealed, secrets.Seal(kPurpose, "Bearer s3cret"));  // nor that two are the same
}

TEST(SealerTest, OpensForNoOtherPurposeOrServer) {
  Sealer secrets("server secret");
  std::string sealed = secrets.Seal(kPurpose, "plain");
  EXPECT_EQ(secrets.Open("langsmith.header:other", sealed).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(secrets.Open("", sealed));
  EXPECT_FALSE(Sealer("another secret").Open(kPurpose, sealed));
}

TEST(SealerTest, ChangedBytesDoNotOpen) {
  Sealer secrets("server secret");
  std::string bytes = *DecodeBase64(secrets.Seal(kPurpose, "plain text").substr(3));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(secrets.Open(kPurpose, "v1." + EncodeBase64Url(changed))) << at;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(secrets.Open(kPurpose, "v1." + EncodeBase64Url(bytes.substr(0, size)))) << size;
  EXPECT_FALSE(secrets.Open(kPurpose, "v1." + EncodeBase64Url(bytes + "x")));
}

TEST(SealerTest, WhatWasNeverSealedDoesNotOpen) {
  Sealer secrets("server secret");
  for (std::string_view text : {"", "v1.", "v1.!!", "v2.AAAA", "plain text", "v1.AAAA"})
    EXPECT_FALSE(secrets.Open(kPurpose, text)) << text;
}

TEST(SealerTest, ASignatureIsOfItsPurposeMessageAndServer) {
  Sealer secrets("server secret");
  std::string signature = secrets.Sign("download", "box/path");
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_EQ(signature.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(signature, Sealer("server secret").Sign("download", "box/path"));
  EXPECT_NE(signature, secrets.Sign("download", "box/other"));
  EXPECT_NE(signature, secrets.Sign("service", "box/path"));
  EXPECT_NE(signature, secrets.Sign("downloadb", "ox/path"));
  EXPECT_NE(signature, secrets.Sign("", "downloadbox/path"));
  EXPECT_NE(signature, Sealer("another secret").Sign("download", "box/path"));
}

}  // namespace
}  // namespace viv::accounts
