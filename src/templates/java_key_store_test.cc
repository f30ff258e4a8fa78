#include "templates/java_key_store.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace viv::templates {
namespace {

std::string Pem(const std::string& der) {
  return "-----BEGIN CERTIFICATE-----\n" + EncodeBase64(der) + "\n-----END CERTIFICATE-----\n";
}

// Not certificates, but of their form: a sequence of that many bytes.
std::string Sequence(std::size_t bytes, char fill) {
  std::string der = "\x30\x82";
  der += static_cast<char>(bytes >> 8);
  der += static_cast<char>(bytes & 0xFF);
  return der + std::string(bytes, fill);
}

TEST(JavaKeyStoreTest, WritesWhatJavaReads) {
  // Checked with keytool: the bytes of a store with one entry, and its digest.
  const std::string store =
      JavaKeyStore({std::string("\x30\x03\x02\x01\x05", 5)}, 1'700'000'000'000);
  const std::string expected(
      "\xFE\xED\xFE\xED\0\0\0\2\0\0\0\1"
      "\0\0\0\2\0\x0B"
      "authority-1"
      "\0\0\x01\x8B\xCF\xE5\x68\0"
      "\0\5X.509\0\0\0\5\x30\x03\x02\x01\x05",
      12 + 4 + 2 + 11 + 8 + 7 + 9);
  EXPECT_EQ(store.substr(0, expected.size()), expected);
  EXPECT_EQ(store.size(), expected.size() + 20);
  EXPECT_EQ(EncodeBase64(store.substr(expected.size())), "ANWl+ndkJEBDCrJ+q9ZMHM3xqSo=");
}

TEST(JavaKeyStoreTest, AnEmptyOneIsAStoreToo) {
  EXPECT_EQ(JavaKeyStore({}, 0).size(), 12U + 20U);
}

TEST(JavaKeyStoreTest, FindsEveryCertificateOnce) {
  const std::string first = Sequence(300, 'a'), second = Sequence(700, 'b');
  std::string wrapped = "# A comment\r\n-----BEGIN CERTIFICATE-----\r\n";
  const std::string digits = EncodeBase64(second);
  for (std::size_t i = 0; i < digits.size(); i += 64) wrapped += digits.substr(i, 64) + "\r\n";
  wrapped += "-----END CERTIFICATE-----";
  EXPECT_EQ(CertificatesIn(Pem(first) + "text between\n" + Pem(first) + wrapped),
            (std::vector<std::string>{first, second}));
}

TEST(JavaKeyStoreTest, PassesOverWhatIsNone) {
  const std::string good = Sequence(300, 'a');
  EXPECT_TRUE(CertificatesIn("").empty());
  EXPECT_TRUE(CertificatesIn("-----BEGIN CERTIFICATE-----\nMIIB").empty());
  EXPECT_TRUE(CertificatesIn("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----").empty());
  EXPECT_TRUE(CertificatesIn(Pem(good + "more")).empty());
  EXPECT_TRUE(CertificatesIn(Pem(good.substr(0, 100))).empty());
  EXPECT_TRUE(CertificatesIn(Pem("hello")).empty());
  EXPECT_TRUE(CertificatesIn(Pem(Sequence(60'000, 'x'))).empty());
  EXPECT_TRUE(
      CertificatesIn("-----BEGIN PRIVATE KEY-----\nMAMCAQU=\n-----END PRIVATE KEY-----").empty());
  EXPECT_EQ(CertificatesIn(Pem("hello") + Pem(good)), std::vector<std::string>{good});
}

TEST(JavaKeyStoreTest, TakesAsManyAsAnybodyHas) {
  std::string pem;
  for (int i = 0; i < 2100; ++i)
    pem += Pem(Sequence(300, 'a').replace(10, 4, std::to_string(1000 + i)));
  EXPECT_EQ(CertificatesIn(pem).size(), 2000U);
}

}  // namespace
}  // namespace viv::templates
