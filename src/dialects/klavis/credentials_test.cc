#include "dialects/klavis/credentials.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <set>

namespace viv::klavis {
namespace {

const CredentialOwner kAnn{"11111111-1111-4111-8111-111111111111", "ann@example.com"};
const CredentialOwner kBob{"22222222-2222-4222-8222-222222222222", "bob@example.com"};

TEST(CredentialsTest, FillsWhatIsDeclared) {
  json::value declared = {{"token", "ghp_{secret 36}"},
                          {"nested", {{"id", "{digits 12}.apps"}, {"of", "{email}"}}},
                          {"plain", "ACME"},
                          {"list", json::array{"{secret 4}{secret 4 more}", 5, "{unknown}"}}};
  json::value made = MakeCredentials(declared, kAnn);
  std::string token(made.at("token").as_string());
  EXPECT_EQ(token.size(), 40u);
  EXPECT_TRUE(token.starts_with("ghp_"));
  std::string id(made.at("nested").at("id").as_string());
  EXPECT_EQ(id.size(), 17u);
  EXPECT_EQ(id.find_first_not_of("0123456789"), 12u);
  EXPECT_EQ(made.at("nested").at("of").as_string(), "ann@example.com");
  EXPECT_EQ(made.at("plain").as_string(), "ACME");
  std::string two(made.at("list").at(0).as_string());
  EXPECT_NE(two.substr(0, 4), two.substr(4));
  EXPECT_EQ(made.at("list").at(1).as_int64(), 5);
  EXPECT_EQ(made.at("list").at(2).as_string(), "{unknown}");
  EXPECT_EQ(MakeCredentials(nullptr, kAnn), json::value());
}

TEST(CredentialsTest, AreTheSameForALeaseAndDifferBetweenLeases) {
  json::value declared = {{"token", "{secret 36}"}, {"key", "{rsa_private_key}"}};
  json::value made = MakeCredentials(declared, kAnn);
  EXPECT_EQ(made, MakeCredentials(declared, kAnn));
  EXPECT_NE(made.at("token"), MakeCredentials(declared, kBob).at("token"));
  EXPECT_NE(made.at("key"), MakeCredentials(declared, kBob).at("key"));
}

TEST(CredentialsTest, AKeyIsAValidOneThatSigns) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    std::string pem = MakePrivateKey("lease " + std::to_string(i));
    EXPECT_TRUE(seen.insert(pem).second);
    EXPECT_TRUE(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
    BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    ASSERT_NE(key, nullptr);
    EXPECT_EQ(EVP_PKEY_get_bits(key), 2048);
    if (i == 0) {
      EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(key, nullptr);
      EXPECT_EQ(EVP_PKEY_check(context), 1);
      EVP_PKEY_CTX_free(context);
    }
    EVP_MD_CTX* digest = EVP_MD_CTX_new();
    std::string signature(256, '\0');
    std::size_t size = signature.size();
    ASSERT_EQ(EVP_DigestSignInit(digest, nullptr, EVP_sha256(), nullptr, key), 1);
    ASSERT_EQ(EVP_DigestSign(digest, reinterpret_cast<unsigned char*>(signature.data()), &size,
                             reinterpret_cast<const unsigned char*>("text"), 4),
              1);
    EVP_MD_CTX_free(digest);
    digest = EVP_MD_CTX_new();
    ASSERT_EQ(EVP_DigestVerifyInit(digest, nullptr, EVP_sha256(), nullptr, key), 1);
    EXPECT_EQ(EVP_DigestVerify(digest, reinterpret_cast<const unsigned char*>(signature.data()),
                               size, reinterpret_cast<const unsigned char*>("text"), 4),
              1);
    EVP_MD_CTX_free(digest);
    EVP_PKEY_free(key);
  }
}

}  // namespace
}  // namespace viv::klavis
