#include "gateway/tls/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdlib>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "gateway/tls/alpn.h"
#include "gateway/tls/handshake.h"
#include "gateway/tls/tls_test_support.h"
#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename T>
Task<void> Store(Task<T> task, std::optional<T>& into) {
  into.emplace(co_await std::move(task));
}

// The results of both ends of a connection between us and an origin.
struct BothEnds {
  std::optional<Result<TlsConnection>> origin, us;
};

Task<std::string> ReadAll(http::Transport& from) {
  std::string text;
  char buffer[1000];
  for (;;) {
    const std::size_t got = co_await from.Read(buffer, sizeof buffer);
    if (got == 0) co_return text;
    text.append(buffer, got);
  }
}

Task<bool> Send(http::Transport& to, std::string text) {
  const http::Transport::Pieces pieces{text, "", ""};
  const std::size_t done = to.TryWrite(pieces);
  co_return co_await to.Write(pieces, done, std::chrono::seconds(10));
}

class GatewayTlsTest : public ::testing::Test {
 protected:
  // The machine's own list of authorities is empty here, which is also faster to read.
  void SetUp() override {
    ::setenv("SSL_CERT_FILE", "/dev/null", 1);
    ::setenv("SSL_CERT_DIR", "/dev/null", 1);
  }
  void TearDown() override {
    ::unsetenv("SSL_CERT_FILE");
    ::unsetenv("SSL_CERT_DIR");
  }

  std::unique_ptr<OriginTls> Trusting(X509* authority) {
    auto opened = OriginTls::Open({SavePem(folder_, PemOf(authority))});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }

  BothEnds ConnectBoth(OriginTls& tls,
                       std::shared_ptr<SSL_CTX> origin,
                       const std::string& host = "origin.example",
                       bool http2 = true) {
    SocketPair pair(io_);
    BothEnds ends;
    asio::co_spawn(
        io_, Store(AcceptTls(std::move(pair.first), "", std::move(origin), http2), ends.origin),
        asio::detached);
    asio::co_spawn(io_, Store(tls.Connect(std::move(pair.second), host, true), ends.us),
                   asio::detached);
    Run();
    return ends;
  }

  // Why we refuse an origin with that identity.
  std::string Refusal(const TestIdentity& identity, const std::string& host = "origin.example") {
    const auto tls = Trusting(authority_.certificate.get());
    const BothEnds ends = ConnectBoth(*tls, TestServerContext(identity), host);
    if (*ends.us) return "none";
    EXPECT_EQ(ends.us->error().code, ErrorCode::kPermissionDenied);
    EXPECT_FALSE(*ends.origin);
    return ends.us->error().message;
  }

  void Run() {
    io_.restart();
    io_.run();
  }

  void End(Task<void> task) {
    asio::co_spawn(io_, std::move(task), asio::detached);
    Run();
  }

  template <typename T>
  T Finish(Task<T> task) {
    std::optional<T> result;
    asio::co_spawn(io_, Store(std::move(task), result), asio::detached);
    Run();
    return *std::move(result);
  }

  asio::io_context io_;
  const ScratchFolder folder_;
  const TestIdentity authority_ =
      MakeTestIdentity({.name = "Test authority", .is_authority = true}, nullptr);
};

TEST_F(GatewayTlsTest, TalksToAnOriginWithAGoodCertificate) {
  const auto tls = Trusting(authority_.certificate.get());
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  EnableAlpnSelection(context.get());
  const BothEnds ends = ConnectBoth(*tls, context);
  ASSERT_TRUE(*ends.us) << ends.us->error().message;
  ASSERT_TRUE(*ends.origin) << ends.origin->error().message;
  EXPECT_TRUE((*ends.us)->http2);
  EXPECT_TRUE((*ends.origin)->http2);
  http::Transport& us = *(*ends.us)->transport;
  http::Transport& origin = *(*ends.origin)->transport;
  EXPECT_TRUE(us.secure());
  EXPECT_TRUE(Finish(Send(us, std::string(5000, 'a'))));
  End(us.Shutdown(http::Transport::Linger::kNo));
  EXPECT_EQ(Finish(ReadAll(origin)), std::string(5000, 'a'));
  EXPECT_FALSE(origin.read_failed());  // it got a close_notify
}

TEST_F(GatewayTlsTest, AgreesOnHttp1WhereTheOtherSideKnowsNoBetter) {
  const auto tls = Trusting(authority_.certificate.get());
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  BothEnds ends = ConnectBoth(*tls, context);  // without ALPN
  ASSERT_TRUE(*ends.us);
  EXPECT_FALSE((*ends.us)->http2);
  EnableAlpnSelection(context.get());
  ends = ConnectBoth(*tls, context, "origin.example", false);
  ASSERT_TRUE(*ends.us);
  EXPECT_FALSE((*ends.us)->http2);
  EXPECT_FALSE((*ends.origin)->http2);
}

TEST_F(GatewayTlsTest, ResumesASessionWithTheSameHost) {
  const auto tls = Trusting(authority_.certificate.get());
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SSL_CTX_set_max_proto_version(context.get(), version);
    const long before = SSL_CTX_sess_hits(context.get());
    BothEnds first = ConnectBoth(*tls, context);
    ASSERT_TRUE(*first.us && *first.origin);
    Finish(Send(*(*first.origin)->transport, "x"));
    End((*first.origin)->transport->Shutdown(http::Transport::Linger::kNo));
    EXPECT_EQ(Finish(ReadAll(*(*first.us)->transport)), "x");  // and the tickets before it
    EXPECT_TRUE(*ConnectBoth(*tls, context).us);
    EXPECT_EQ(SSL_CTX_sess_hits(context.get()), before + 1) << version;
  }
}

TEST_F(GatewayTlsTest, ASessionOutlivesTheOriginTlsThatMadeIt) {
  auto tls = Trusting(authority_.certificate.get());
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  BothEnds ends = ConnectBoth(*tls, context);
  tls.reset();
  ASSERT_TRUE(*ends.us && *ends.origin);
  Finish(Send(*(*ends.origin)->transport, "x"));
  End((*ends.origin)->transport->Shutdown(http::Transport::Linger::kNo));
  EXPECT_EQ(Finish(ReadAll(*(*ends.us)->transport)), "x");
}

TEST_F(GatewayTlsTest, RefusesACertificateForAnotherName) {
  EXPECT_EQ(Refusal(MakeTestIdentity({.name = "other.example"}, &authority_)),
            "the certificate of origin.example is for another name");
}

TEST_F(GatewayTlsTest, RefusesNamesThatOnlyLookAlike) {
  for (const std::string& name :
       {std::string("origin.example\0.evil.example", 28), std::string("or*.example"),
        std::string("*.example.evil"), std::string("*"), std::string("origin.example."),
        std::string("x.origin.example"), std::string("*.origin.example")}) {
    EXPECT_NE(Refusal(MakeTestIdentity({.name = name}, &authority_)), "none") << name;
  }
  EXPECT_EQ(
      Refusal(MakeTestIdentity({.name = "*.origin.example"}, &authority_), "a.origin.example"),
      "none");
  EXPECT_NE(
      Refusal(MakeTestIdentity({.name = "*.origin.example"}, &authority_), "a.b.origin.example"),
      "none");
}

TEST_F(GatewayTlsTest, DoesNotBelieveASubjectWithoutAListOfNames) {
  EXPECT_EQ(Refusal(MakeTestIdentity({.says_names = false}, &authority_)),
            "the certificate of origin.example is for another name");
}

TEST_F(GatewayTlsTest, RefusesWhatHasExpiredOrIsNotYetValid) {
  EXPECT_EQ(Refusal(MakeTestIdentity({.from_s = -7200, .until_s = -3600}, &authority_)),
            "the certificate of origin.example has expired");
  EXPECT_EQ(Refusal(MakeTestIdentity({.from_s = 3600, .until_s = 7200}, &authority_)),
            "the certificate of origin.example is not valid yet");
}

TEST_F(GatewayTlsTest, RefusesWhatNobodyWeTrustSigned) {
  const std::string text =
      "the certificate of origin.example is signed by nobody this machine trusts (give its "
      "authority with --egress-ca)";
  EXPECT_EQ(Refusal(MakeTestIdentity({}, nullptr)), text);
  const TestIdentity stranger =
      MakeTestIdentity({.name = "Test authority", .is_authority = true}, nullptr);
  EXPECT_NE(Refusal(MakeTestIdentity({}, &stranger)), "none");
  const TestIdentity other =
      MakeTestIdentity({.name = "Other authority", .is_authority = true}, nullptr);
  EXPECT_EQ(Refusal(MakeTestIdentity({}, &other)), text);
}

TEST_F(GatewayTlsTest, RefusesASignatureOfWhoMayNotSign) {
  const TestIdentity host = MakeTestIdentity({.name = "host.example"}, &authority_);
  const TestIdentity forged = MakeTestIdentity({}, &host);
  const auto tls = Trusting(authority_.certificate.get());
  const BothEnds ends = ConnectBoth(*tls, TestServerContext(forged, host.certificate.get()));
  ASSERT_FALSE(*ends.us);
  EXPECT_EQ(ends.us->error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(ends.us->error().message,
            "the certificate of origin.example is signed by somebody who may not sign "
            "certificates");
}

TEST_F(GatewayTlsTest, AFailedCertificateLeavesNoSessionToResume) {
  const auto tls = Trusting(authority_.certificate.get());
  const auto bad = TestServerContext(MakeTestIdentity({.name = "other.example"}, &authority_));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(*ConnectBoth(*tls, bad).us);
  EXPECT_EQ(SSL_CTX_sess_hits(bad.get()), 0);
}

TEST_F(GatewayTlsTest, TrustsWhatThisMachineTrusts) {
  ::setenv("SSL_CERT_FILE", SavePem(folder_, PemOf(authority_.certificate.get())).c_str(), 1);
  const auto tls = OriginTls::Open({});
  EXPECT_TRUE(*ConnectBoth(**tls, TestServerContext(MakeTestIdentity({}, &authority_))).us);
}

TEST_F(GatewayTlsTest, TrustsAnAuthorityInTheMiddleOfAChain) {
  const TestIdentity middle =
      MakeTestIdentity({.name = "Middle", .is_authority = true}, &authority_);
  const auto tls = Trusting(middle.certificate.get());
  EXPECT_TRUE(*ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &middle))).us);
}

TEST_F(GatewayTlsTest, RefusesHostsThatAreNone) {
  const auto tls = Trusting(authority_.certificate.get());
  for (const std::string& host : {std::string(), std::string(".example"), std::string("a b"),
                                  std::string("origin.example\0x", 16), std::string("*")}) {
    SocketPair pair(io_);
    const auto connected = Finish(tls->Connect(std::move(pair.first), host, true));
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::kInvalidArgument) << host;
  }
}

TEST_F(GatewayTlsTest, SaysWhichFileHasNoCertificates) {
  const std::string file = SavePem(folder_, "nothing");
  EXPECT_THAT(OriginTls::Open({file}).error().message, HasSubstr(file));
  EXPECT_THAT(OriginTls::Open({"/nowhere.pem"}).error().message, HasSubstr("/nowhere.pem"));
  EXPECT_TRUE(OriginTls::Open({}));
}

// The client gets `answer` instead of a server's handshake.
TEST_F(GatewayTlsTest, AnOriginThatSpeaksNoTlsIsUnavailable) {
  const auto tls = Trusting(authority_.certificate.get());
  for (const std::string& answer :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string(),
        std::string("\x15\x03\x03\x00\x02\x02\x28", 7), std::string(20000, '\x16')}) {
    SocketPair pair(io_);
    asio::write(pair.second, asio::buffer(answer));
    pair.second.shutdown(http::StreamSocket::shutdown_send);
    const auto connected = Finish(tls->Connect(std::move(pair.first), "origin.example", true));
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(connected.error().message, HasSubstr("origin.example"));
  }
}

TEST_F(GatewayTlsTest, AHandshakeThatTakesTooLongEnds) {
  SocketPair pair(io_);
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SslPtr ssl(SSL_new(context.get()));
  const auto secured = Finish(RunTlsHandshake(std::move(pair.first), std::move(ssl),
                                              TlsSide::kClient, "", std::chrono::milliseconds(1)));
  ASSERT_FALSE(secured);
  EXPECT_EQ(secured.error().kind, HandshakeFailure::Kind::kTimeout);
}

// A TLS client in memory, whose bytes the test passes on.
struct GuestInMemory {
  explicit GuestInMemory(const char* protocols = nullptr) {
    context.reset(SSL_CTX_new(TLS_client_method()));
    ssl.reset(SSL_new(context.get()));
    SSL_set_tlsext_host_name(ssl.get(), "origin.example");
    if (protocols != nullptr)
      SSL_set_alpn_protos(ssl.get(), reinterpret_cast<const unsigned char*>(protocols),
                          static_cast<unsigned>(std::string(protocols).size()));
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl.get());
    SSL_do_handshake(ssl.get());
  }
  std::string TakeOutput() {
    BIO* out = SSL_get_wbio(ssl.get());
    std::string text = TextOf(out);
    BIO_reset(out);
    return text;
  }
  ContextPtr context;
  SslPtr ssl;
};

TEST_F(GatewayTlsTest, ContinuesAfterTheBytesAlreadyRead) {
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  EnableAlpnSelection(context.get());
  GuestInMemory guest("\x08http/1.1");
  const std::string first_bytes = guest.TakeOutput();
  for (const std::size_t split :
       {std::size_t{0}, std::size_t{1}, first_bytes.size() / 2, first_bytes.size()}) {
    GuestInMemory again("\x08http/1.1");
    const std::string hello = again.TakeOutput();
    SocketPair pair(io_);
    std::optional<Result<TlsConnection>> accepted;
    asio::co_spawn(
        io_,
        Store(AcceptTls(std::move(pair.first), hello.substr(0, split), context, true), accepted),
        asio::detached);
    asio::write(pair.second, asio::buffer(hello.substr(split)));
    io_.restart();
    io_.poll();
    char flight[8192];
    BIO_write(SSL_get_rbio(again.ssl.get()), flight,
              static_cast<int>(pair.second.read_some(asio::buffer(flight))));
    EXPECT_EQ(SSL_do_handshake(again.ssl.get()), 1);
    asio::write(pair.second, asio::buffer(again.TakeOutput()));
    Run();
    ASSERT_TRUE(accepted);
    EXPECT_TRUE(*accepted) << accepted->error().message;
    EXPECT_FALSE((*accepted)->http2);
  }
}

TEST_F(GatewayTlsTest, AGuestWithoutACommonProtocolIsTurnedAway) {
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  EnableAlpnSelection(context.get());
  GuestInMemory guest("\x02h2");
  SocketPair pair(io_);
  const auto accepted =
      Finish(AcceptTls(std::move(pair.first), guest.TakeOutput(), context, false));
  ASSERT_FALSE(accepted);
  EXPECT_THAT(accepted.error().message, StartsWith("TLS with the guest failed: "));
}

TEST_F(GatewayTlsTest, AGuestThatSaysGarbageOrLeavesIsDropped) {
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  GuestInMemory guest;
  const std::string hello = guest.TakeOutput();
  for (const std::string& already_read :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(), hello.substr(0, 40), hello,
        hello + "more", std::string(40000, '\x16')}) {
    SocketPair pair(io_);
    pair.second.shutdown(http::StreamSocket::shutdown_send);
    EXPECT_FALSE(Finish(AcceptTls(std::move(pair.first), already_read, context, true)));
  }
}

TEST_F(GatewayTlsTest, ToldWhyAGuestBreaksOff) {
  const auto context = TestServerContext(MakeTestIdentity({}, &authority_));
  const auto distrusting = OriginTls::Open({});
  const BothEnds ends = ConnectBoth(**distrusting, context);
  ASSERT_FALSE(*ends.origin);
  EXPECT_THAT(ends.origin->error().message, HasSubstr("unknown ca"));
  EXPECT_THAT(ends.origin->error().message, HasSubstr("ca-certificates.crt"));
}

TEST_F(GatewayTlsTest, ShutdownDoesNotWaitForTheOthersCloseNotify) {
  const auto tls = Trusting(authority_.certificate.get());
  BothEnds ends = ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &authority_)));
  ASSERT_TRUE(*ends.us && *ends.origin);
  End((*ends.us)->transport->Shutdown(http::Transport::Linger::kNo));  // ends without an answer
  EXPECT_EQ(Finish(ReadAll(*(*ends.origin)->transport)), "");
  EXPECT_FALSE((*ends.origin)->transport->read_failed());
}

TEST_F(GatewayTlsTest, AClosedSocketIsNoCloseNotify) {
  const auto tls = Trusting(authority_.certificate.get());
  BothEnds ends = ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &authority_)));
  ASSERT_TRUE(*ends.us && *ends.origin);
  (*ends.origin)->transport->Close();
  EXPECT_EQ(Finish(ReadAll(*(*ends.us)->transport)), "");
  EXPECT_TRUE((*ends.us)->transport->read_failed());
  EXPECT_TRUE((*ends.us)->transport->read_truncated());
}

TEST_F(GatewayTlsTest, SeesWhatCameUnaskedAndTakesNoTicketForIt) {
  const auto tls = Trusting(authority_.certificate.get());
  BothEnds ends = ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &authority_)));
  ASSERT_TRUE(*ends.us && *ends.origin);
  http::Transport &us = *(*ends.us)->transport, &origin = *(*ends.origin)->transport;
  EXPECT_FALSE(us.HasUnread());  // tickets do not count
  EXPECT_TRUE(Finish(Send(origin, "unasked")));
  EXPECT_TRUE(us.HasUnread());
  BothEnds other = ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &authority_)));
  (*other.origin)->transport->Close();
  EXPECT_TRUE((*other.us)->transport->HasUnread());
}

TEST_F(GatewayTlsTest, OneDirectionEndsWithCloseNotifyAndTheOtherGoesOn) {
  const auto tls = Trusting(authority_.certificate.get());
  BothEnds ends = ConnectBoth(*tls, TestServerContext(MakeTestIdentity({}, &authority_)));
  ASSERT_TRUE(*ends.us && *ends.origin);
  http::Transport &us = *(*ends.us)->transport, &origin = *(*ends.origin)->transport;
  us.CloseWrite();
  EXPECT_EQ(Finish(ReadAll(origin)), "");
  EXPECT_FALSE(origin.read_failed());
  EXPECT_TRUE(Finish(Send(origin, "still")));
  origin.CloseWrite();
  EXPECT_EQ(Finish(ReadAll(us)), "still");
  EXPECT_FALSE(us.read_failed());
}

}  // namespace
}  // namespace viv::gateway
