#include "gateway/tls/certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "gateway/tls/tls_test_support.h"

namespace viv::gateway {
namespace {

std::string SubjectOf(X509* certificate) {
  char text[256] = {};
  X509_NAME_oneline(X509_get_subject_name(certificate), text, sizeof text);
  return text;
}

// X509_V_OK, or what is wrong with `leaf` as a server's certificate for `host`.
int Verify(X509* authority, X509* leaf, const std::string& host, X509* between = nullptr) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, authority);
  STACK_OF(X509)* others = sk_X509_new_null();
  if (between != nullptr) sk_X509_push(others, between);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, others);
  X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM* demands = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(demands, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set1_host(demands, host.c_str(), 0);
  X509_verify_cert(context);
  const int result = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  sk_X509_free(others);
  X509_STORE_free(store);
  return result;
}

class CertificateTest : public ::testing::Test {
 protected:
  CertificatePtr Mint(const std::string& host) {
    auto leaf =
        IssueLeafCertificate(host, leaf_key_.get(), Issuer{authority_.get(), key_.get()}, now_s_);
    EXPECT_TRUE(leaf) << leaf.error().message;
    return leaf ? *std::move(leaf) : nullptr;
  }

  const std::int64_t now_s_ = NowMs() / 1000;
  const KeyPtr key_ = *MakeKey(), leaf_key_ = *MakeKey();
  const CertificatePtr authority_ = *MakeAuthorityCertificate(key_.get(), now_s_);
};

TEST_F(CertificateTest, AnAuthorityMaySignHostsAndNothingElse) {
  EXPECT_EQ(SubjectOf(authority_.get()).find("/CN=Vivarium egress gateway "), 0U);
  EXPECT_EQ(SubjectOf(authority_.get()).size(),
            std::string("/CN=Vivarium egress gateway ").size() + 8);
  EXPECT_EQ(X509_check_ca(authority_.get()), 1);
  EXPECT_EQ(X509_get_pathlen(authority_.get()), 0);
  EXPECT_EQ(X509_get_key_usage(authority_.get()), unsigned{KU_KEY_CERT_SIGN | KU_CRL_SIGN});
  EXPECT_EQ(NotAfterOf(authority_.get()), now_s_ + kAuthoritySeconds);
}

TEST_F(CertificateTest, ALeafIsForItsHostAlone) {
  const CertificatePtr leaf = Mint("api.example.com");
  EXPECT_EQ(Verify(authority_.get(), leaf.get(), "api.example.com"), X509_V_OK);
  EXPECT_EQ(Verify(authority_.get(), leaf.get(), "example.com"), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(Verify(authority_.get(), leaf.get(), "x.api.example.com"),
            X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(NotAfterOf(leaf.get()), now_s_ + kLeafSeconds);
  EXPECT_EQ(X509_get_extended_key_usage(leaf.get()), unsigned{XKU_SSL_SERVER});
  EXPECT_EQ(X509_check_ca(leaf.get()), 0);
}

TEST_F(CertificateTest, NamesTooLongForASubjectAndUnusualOnesWork) {
  const std::string long_name = std::string(63, 'a') + "." + std::string(63, 'b') + ".example";
  for (const std::string& host : {long_name, std::string("localhost"), std::string("a_b.example"),
                                  std::string("xn--bcher-kva.example")}) {
    const CertificatePtr leaf = Mint(host);
    EXPECT_EQ(Verify(authority_.get(), leaf.get(), host), X509_V_OK) << host;
  }
}

TEST_F(CertificateTest, ALeafCannotSignAnother) {
  const CertificatePtr leaf = Mint("first.example");
  const CertificatePtr second = *IssueLeafCertificate("second.example", key_.get(),
                                                      Issuer{leaf.get(), leaf_key_.get()}, now_s_);
  EXPECT_NE(Verify(authority_.get(), second.get(), "second.example", leaf.get()), X509_V_OK);
}

TEST_F(CertificateTest, EverySerialNumberIsAnother) {
  const CertificatePtr first = Mint("a.example"), second = Mint("a.example");
  EXPECT_NE(
      ASN1_INTEGER_cmp(X509_get_serialNumber(first.get()), X509_get_serialNumber(second.get())), 0);
}

TEST_F(CertificateTest, WhatIsNoNameGetsNone) {
  const std::string too_long = std::string(63, 'a') + "." + std::string(63, 'a') + "." +
                               std::string(63, 'a') + "." + std::string(63, 'a');
  for (const std::string& host : {std::string(),
                                  std::string("."),
                                  std::string("a..b"),
                                  std::string(".a"),
                                  std::string("a."),
                                  std::string("*.example.com"),
                                  std::string("a b"),
                                  std::string("a,DNS:b"),
                                  std::string("a\nb"),
                                  std::string("a\0b", 3),
                                  std::string("-a"),
                                  std::string("a-.b"),
                                  std::string("b\xC3\xBC"
                                              "cher.example"),
                                  std::string("127.0.0.1"),
                                  std::string("::1"),
                                  std::string("[::1]"),
                                  std::string("2130706433"),
                                  std::string("0x7f.0x1"),
                                  std::string(64, 'a'),
                                  too_long,
                                  std::string("host:443"),
                                  std::string("a/b")}) {
    EXPECT_FALSE(IsHostName(host)) << host;
    const auto leaf =
        IssueLeafCertificate(host, leaf_key_.get(), Issuer{authority_.get(), key_.get()}, now_s_);
    ASSERT_FALSE(leaf) << host;
    EXPECT_EQ(leaf.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace viv::gateway
