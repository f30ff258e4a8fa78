#include "gateway/tls/certificate_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "gateway/tls/alpn.h"
#include "gateway/tls/certificate.h"
#include "gateway/tls/certificate_authority_files.h"
#include "gateway/tls/tls_test_support.h"

namespace viv::gateway {
namespace {

using ::testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

std::string Load(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Handshake {
  bool done = false;
  bool resumed = false;
  std::string protocol;
  SessionPtr session;
};

// A client that trusts `pem` and a server with that context, in memory.
Handshake TalkTo(SSL_CTX* server_context,
                 const std::string& pem,
                 const std::string& host,
                 SSL_SESSION* session = nullptr,
                 int version = TLS1_3_VERSION) {
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_max_proto_version(context.get(), version);
  const BioPtr text = ReadableBio(pem);
  const CertificatePtr authority(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SslPtr client(SSL_new(context.get())), server(SSL_new(server_context));
  SSL_set_tlsext_host_name(client.get(), host.c_str());
  SSL_set1_host(client.get(), host.c_str());
  SSL_set_alpn_protos(client.get(), kHttp2AndHttp1, sizeof kHttp2AndHttp1 - 1);
  if (session != nullptr) SSL_set_session(client.get(), session);
  OfferHttp2(server.get());
  BIO *near = nullptr, *far = nullptr;
  BIO_new_bio_pair(&near, 0, &far, 0);
  SSL_set_bio(client.get(), near, near);
  SSL_set_bio(server.get(), far, far);
  SSL_set_connect_state(client.get());
  SSL_set_accept_state(server.get());
  Handshake result;
  for (int i = 0; i < 10 && !result.done; ++i) {
    const int a = SSL_do_handshake(client.get()), b = SSL_do_handshake(server.get());
    result.done = a == 1 && b == 1;
  }
  char byte = 'x';
  SSL_write(server.get(), &byte, 1);
  SSL_read(client.get(), &byte, 1);  // the tickets arrive first
  result.resumed = SSL_session_reused(client.get()) == 1;
  result.protocol = NegotiatedHttp2(client.get()) ? "h2" : "other";
  result.session.reset(SSL_get1_session(client.get()));
  SSL_shutdown(client.get());  // a session without an orderly end is not resumed
  ERR_clear_error();
  return result;
}

class CertificateAuthorityTest : public ::testing::Test {
 protected:
  std::unique_ptr<CertificateAuthority> Open() {
    auto opened = CertificateAuthority::Open(folder_, [this] { return now_ms_; });
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }

  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path + "/egress";
  std::int64_t now_ms_ = NowMs();
};

TEST_F(CertificateAuthorityTest, KeepsItsKeyToItself) {
  Open();
  EXPECT_EQ(ModeOf(folder_), 0700U);
  EXPECT_EQ(ModeOf(folder_ + "/authority.key"), 0600U);
  EXPECT_THAT(Load(folder_ + "/authority.key"), HasSubstr("PRIVATE KEY"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 2U);
}

TEST_F(CertificateAuthorityTest, StaysTheSameFromStartToStart) {
  const std::string pem = Open()->pem();
  EXPECT_EQ(Load(folder_ + "/authority.pem"), pem);
  EXPECT_EQ(pem.find("PRIVATE"), std::string::npos);
  EXPECT_EQ(Open()->pem(), pem);
}

TEST_F(CertificateAuthorityTest, IsMadeAnewInItsLastYear) {
  const std::string pem = Open()->pem();
  now_ms_ += (kAuthoritySeconds - 366 * kDaySeconds) * 1000;
  EXPECT_EQ(Open()->pem(), pem);
  now_ms_ += 2 * kDaySeconds * 1000;
  EXPECT_NE(Open()->pem(), pem);
}

TEST_F(CertificateAuthorityTest, IsMadeAnewWhenAServerWasKilledBetweenItsFiles) {
  const std::string pem = Open()->pem();
  std::filesystem::remove(folder_ + "/authority.pem");
  const std::string second = Open()->pem();
  EXPECT_NE(second, pem);
  std::ofstream(folder_ + "/authority.pem") << pem;  // of another key
  const std::string third = Open()->pem();
  EXPECT_NE(third, pem);
  EXPECT_NE(third, second);
  std::ofstream(folder_ + "/authority.key.new") << "half";
  EXPECT_EQ(Open()->pem(), third);
}

TEST_F(CertificateAuthorityTest, SaysWhatIsWrongWithItsFiles) {
  Open();
  ASSERT_EQ(::chmod((folder_ + "/authority.key").c_str(), 0640), 0);
  EXPECT_THAT(CertificateAuthority::Open(folder_).error().message, HasSubstr("chmod 600"));
  ASSERT_EQ(::chmod((folder_ + "/authority.key").c_str(), 0600), 0);
  std::ofstream(folder_ + "/authority.key") << "no key";
  EXPECT_THAT(CertificateAuthority::Open(folder_).error().message,
              HasSubstr("authority.key holds no key"));
  std::ofstream(folder_ + "/authority.pem") << "no certificate";
  EXPECT_THAT(CertificateAuthority::Open(folder_).error().message,
              HasSubstr("authority.pem is no"));
}

TEST_F(CertificateAuthorityTest, RefusesACertificateThatIsNoAuthoritys) {
  Open();
  const TestIdentity leaf = MakeTestIdentity({}, nullptr);
  ASSERT_TRUE(WriteCertificateAuthority(
      folder_,
      CertificateAuthorityPair{CertificatePtr(X509_dup(leaf.certificate.get())), *MakeKey()}));
  EXPECT_THAT(CertificateAuthority::Open(folder_).error().message,
              HasSubstr("no certificate of an authority"));
}

TEST_F(CertificateAuthorityTest, SaysWhyItHasNoFolder) {
  std::ofstream(scratch_.path + "/file") << "x";
  const auto opened = CertificateAuthority::Open(scratch_.path + "/file/egress");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("egress authority: make "));
}

TEST_F(CertificateAuthorityTest, IssuesCertificatesThatItsClientsAccept) {
  const auto authority = Open();
  const auto context = *authority->ContextFor("API.example.com");
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const Handshake talk =
        TalkTo(context.get(), authority->pem(), "api.example.com", nullptr, version);
    EXPECT_TRUE(talk.done);
    EXPECT_EQ(talk.protocol, "h2");
  }
  EXPECT_FALSE(TalkTo(context.get(), authority->pem(), "other.example.com").done);
  const TestIdentity stranger = MakeTestIdentity({.is_authority = true}, nullptr);
  EXPECT_FALSE(TalkTo(context.get(), PemOf(stranger.certificate.get()), "api.example.com").done);
  EXPECT_FALSE(
      TalkTo(context.get(), authority->pem(), "api.example.com", nullptr, TLS1_1_VERSION).done);
}

TEST_F(CertificateAuthorityTest, AGuestResumesItsSessionWithOneHostOnly) {
  const auto authority = Open();
  const auto context = *authority->ContextFor("a.example");
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const Handshake first = TalkTo(context.get(), authority->pem(), "a.example", nullptr, version);
    EXPECT_FALSE(first.resumed);
    const Handshake second =
        TalkTo(context.get(), authority->pem(), "a.example", first.session.get(), version);
    EXPECT_TRUE(second.done);
    EXPECT_TRUE(second.resumed) << version;
    const auto other = *authority->ContextFor("b.example");
    EXPECT_FALSE(
        TalkTo(other.get(), authority->pem(), "b.example", first.session.get(), version).resumed);
  }
}

TEST_F(CertificateAuthorityTest, KeepsContextsUntilTheirCertificateIsHalfOver) {
  const auto authority = Open();
  const auto first = *authority->ContextFor("a.example");
  EXPECT_EQ(*authority->ContextFor("A.EXAMPLE"), first);
  now_ms_ += (kLeafSeconds / 2 - 1) * 1000;
  EXPECT_EQ(*authority->ContextFor("a.example"), first);
  now_ms_ += 2000;
  const auto renewed = *authority->ContextFor("a.example");
  EXPECT_NE(renewed, first);
  EXPECT_EQ(*authority->ContextFor("a.example"), renewed);
  EXPECT_GT(NotAfterOf(SSL_CTX_get0_certificate(renewed.get())),
            NotAfterOf(SSL_CTX_get0_certificate(first.get())));
}

TEST_F(CertificateAuthorityTest, ForgetsTheContextThatWasUnusedForLongest) {
  const auto authority = Open();
  const auto used = *authority->ContextFor("used.example");
  const std::weak_ptr<SSL_CTX> unused = *authority->ContextFor("unused.example");
  ASSERT_EQ(*authority->ContextFor("used.example"), used);
  for (std::size_t i = 0; i < kContextsMax - 1; ++i)
    ASSERT_TRUE(authority->ContextFor("n" + std::to_string(i) + ".example"));
  EXPECT_TRUE(unused.expired());
  EXPECT_EQ(*authority->ContextFor("used.example"), used);
}

TEST_F(CertificateAuthorityTest, GivesNothingToWhatIsNoName) {
  const auto authority = Open();
  for (const char* host : {"", "*", "*.example.com", "1.2.3.4", "a..b"})
    EXPECT_EQ(authority->ContextFor(host).error().code, ErrorCode::kInvalidArgument) << host;
}

TEST_F(CertificateAuthorityTest, ServesManyThreadsAtOnce) {
  const auto authority = Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&authority] {
      for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(authority->ContextFor("h" + std::to_string(i % 10) + ".example"));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace viv::gateway
