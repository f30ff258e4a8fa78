// Sniffing where the policy contains names, without an interceptor.

#include "network/sniff.h"

#include "network/sniff_test_support.h"

namespace viv::network {
namespace {

const Policy kOnlyGood{{"good.org"}, {}, false};
const Policy kNotBad{{}, {"bad.org"}, true};

using NamePolicyTest = SniffTest;

bool IsRefusedHttp(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 403 Forbidden\r\n") &&
         answer.find("\"error\":\"egress_refused\"") != std::string::npos;
}

TEST_F(NamePolicyTest, FirstBytesThatAgreePassUnchanged) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  std::string hello = ClientHelloFor("Good.ORG.");
  EXPECT_TRUE(GuestSends(kPublic, server.port(), hello) == hello);
  std::string split =
      InTlsRecords(ClientHelloMessage(ClientHelloBody(ServerNameExtension("good.org"))), 10);
  EXPECT_TRUE(GuestSends(kPublic, server.port(), split, 7) == split);
  EXPECT_EQ(GuestSends(kPublic, server.port(), RequestFor("good.org:80"), 5),
            RequestFor("good.org:80"));
  Egress::Traffic traffic = egress_->Read("box");
  EXPECT_EQ(traffic.connections, 3U);
  EXPECT_EQ(traffic.bytes_out, hello.size() + split.size() + RequestFor("good.org:80").size());
}

TEST_F(NamePolicyTest, AnotherHostThanTheResolvedOneIsRefusedInItsProtocol) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("bad.org")), kNameAlert);
  EXPECT_PRED1(IsRefusedHttp, GuestSends(kPublic, server.port(), RequestFor("bad.org")));
  EXPECT_PRED1(IsRefusedHttp, GuestSends(kPublic, server.port(), RequestFor("192.0.2.9")));
  EXPECT_PRED1(IsRefusedHttp, GuestSends(kPublic, server.port(),
                                         "CONNECT bad.org:443 HTTP/1.1\r\nHost: bad.org\r\n\r\n"));
  EXPECT_EQ(server.bytes(), 0);
  EXPECT_EQ(egress_->Read("box").refused, 4U);
  EXPECT_EQ(egress_->Read("box").connections, 0U);
}

TEST_F(NamePolicyTest, OfSeveralNamesTheOneSaidCounts) {
  EchoServer server(kPublic);
  StartEgress({{"good.org", "bad.org:1"}, {}, false});
  GuestResolves("bad.org");
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("bad.org")), kNameAlert);
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("good.org")),
            ClientHelloFor("good.org"));
}

TEST_F(NamePolicyTest, AFloodOfUploadDoesNotDrownTheRefusal) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  std::string upload = RequestFor("bad.org") + std::string(300'000, 'x');
  EXPECT_PRED1(IsRefusedHttp, GuestSends(kPublic, server.port(), upload));
}

TEST_F(NamePolicyTest, ALiteralAddressDoesNotPassANameRule) {
  EchoServer server(kPublic);
  StartEgress(kNotBad);
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("bad.org")), kNameAlert);
  EXPECT_PRED1(IsRefusedHttp, GuestSends(kPublic, server.port(), RequestFor("bad.org")));
  // A host without a rule passes, and so does an address that is used as such.
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("some.org")),
            ClientHelloFor("some.org"));
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith("")), ClientHelloWith(""));
  EXPECT_EQ(GuestSends(kPublic, server.port(), RequestFor(kPublic)), RequestFor(kPublic));
}

TEST_F(NamePolicyTest, ALiteralAddressThatIsAllowedCannotBorrowAnAllowedName) {
  EchoServer server(kPublic);
  StartEgress({{kPublic.data(), "good.org", "*.fine.org", "~re.*"}, {}, false});
  for (const char* host : {"good.org", "a.fine.org", "red.org"})
    EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor(host)), kNameAlert) << host;
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("else.org")),
            ClientHelloFor("else.org"));
}

TEST_F(NamePolicyTest, AnEncryptedNameIsRefusedWhereNamesDecide) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  std::string hidden = ServerNameExtension("good.org") + EncryptedClientHelloExtension();
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith(hidden)), kNameAlert);
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith(EncryptedClientHelloExtension())),
            kNameAlert);
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{kPublic.data()}, {}, false})));
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith(hidden)), ClientHelloWith(hidden));
}

TEST_F(NamePolicyTest, WhatIsMalformedIsRefusedWhereNamesDecide) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  std::string two = ServerNameExtension("good.org") + ServerNameExtension("bad.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith(two)), kDecodeAlert);
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("good.org").substr(0, 30)),
            kDecodeAlert);
  EXPECT_PRED1(IsRefusedHttp,
               GuestSends(kPublic, server.port(), "GET / HTTP/1.1\r\nHost: good.org\r\n"));
  EXPECT_PRED1(IsRefusedHttp,
               GuestSends(kPublic, server.port(),
                          "GET / HTTP/1.1\r\nHost: good.org\r\nHost: bad.org\r\n\r\n"));
  EXPECT_PRED1(IsRefusedHttp,
               GuestSends(kPublic, server.port(),
                          "GET / HTTP/1.1\r\nX: " + std::string(kFirstBytesMax, 'x')));
  EXPECT_EQ(server.bytes(), 0);
}

TEST_F(NamePolicyTest, AFirstMessageThatDoesNotEndIsGivenUp) {
  EchoServer server(kPublic);
  EgressOptions options;
  options.first_bytes_timeout = std::chrono::milliseconds(50);
  StartEgress(kOnlyGood, options);
  GuestResolves("good.org");
  UniqueFd guest = GuestConnects(kPublic, server.port());
  WriteAll(guest.get(), ClientHelloFor("good.org").substr(0, 20));
  EXPECT_EQ(ReadToEnd(guest.get()), kDecodeAlert);
  EXPECT_EQ(server.bytes(), 0);
}

TEST_F(NamePolicyTest, OtherProtocolsGoByTheResolvedNameAlone) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  EXPECT_EQ(GuestSends(kPublic, server.port(), "SSH-2.0-x\r\n"), "reset");
  GuestResolves("good.org");
  for (std::string_view bytes : {"SSH-2.0-x\r\n", "\x05\x01\x02", "EHLO bad.org\r\n", ""})
    EXPECT_EQ(GuestSends(kPublic, server.port(), bytes), bytes);
}

TEST_F(NamePolicyTest, TlsWithoutAServerNameGoesByTheAddressAlone) {
  EchoServer server(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith("")), kNameAlert);
  EXPECT_EQ(server.bytes(), 0);
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{"good.org", kPublic.data()}, {}, false})));
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith("")), ClientHelloWith(""));
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({{}, {"bad.org"}, true})));
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloWith("")), ClientHelloWith(""));
}

TEST_F(NamePolicyTest, AServerMaySpeakFirst) {
  GreetingServer greeter(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

TEST_F(NamePolicyTest, BytesAfterAGreetingAreStillSniffed) {
  Listener listener = ListenOn(kPublic);
  StartEgress(kOnlyGood);
  GuestResolves("good.org");
  for (bool agrees : {true, false}) {
    UniqueFd guest = GuestConnects(kPublic, listener.port);
    UniqueFd server = AcceptOn(listener);
    WriteAll(server.get(), "220 hi");
    char greeting[6];
    ASSERT_EQ(recv(guest.get(), greeting, 6, MSG_WAITALL), 6);
    WriteAll(guest.get(), ClientHelloFor(agrees ? "good.org" : "bad.org"));
    shutdown(guest.get(), SHUT_WR);
    EXPECT_EQ(ReadToEnd(server.get()), agrees ? ClientHelloFor("good.org") : "reset");
    if (agrees) continue;
    EXPECT_EQ(ReadToEnd(guest.get()), "reset");
  }
}

TEST_F(NamePolicyTest, ANewPolicyDecidesAFlowByItsSniffedHost) {
  Listener listener = ListenOn(kPublic);
  StartEgress({{"good.org", "bad.org"}, {}, false});
  GuestResolves("good.org");
  GuestResolves("bad.org");
  UniqueFd bad = GuestConnects(kPublic, listener.port);
  WriteAll(bad.get(), ClientHelloFor("bad.org"));
  UniqueFd bad_server = AcceptOn(listener);
  UniqueFd good = GuestConnects(kPublic, listener.port);
  WriteAll(good.get(), ClientHelloFor("good.org"));
  UniqueFd good_server = AcceptOn(listener);
  // Until a flow forwards bytes, a policy that forbids it is told to the guest in a TLS alert.
  for (const UniqueFd* server : {&bad_server, &good_server}) {
    char first = 0;
    ASSERT_EQ(recv(server->get(), &first, 1, MSG_PEEK), 1);
  }
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy(kOnlyGood)));
  EXPECT_EQ(ReadToEnd(bad.get()), "reset");
  WriteAll(good_server.get(), "still here");
  shutdown(good_server.get(), SHUT_WR);
  EXPECT_EQ(ReadToEnd(good.get()), "still here");
}

TEST_F(NamePolicyTest, ThereAreNoServiceBindingsWhereNamesMatter) {
  ServeNames([](const std::string& question, bool, const FakeResolver::Send& send) {
    auto query = ParseDnsQuery(question);
    ASSERT_TRUE(query.has_value());
    DnsReply reply;
    reply.answers.push_back({query->question.name, query->question.type, 60, "binding"});
    send(WriteDnsReply(*query, reply, kDnsMessageMax));
  });
  StartEgress(kOnlyGood);
  for (DnsType type : {DnsType::kHttps, DnsType::kSvcb}) {
    DnsReply reply = GuestAsks("good.org", type);
    EXPECT_EQ(reply.code, DnsCode::kNoError);
    EXPECT_TRUE(reply.answers.empty());
  }
  ASSERT_TRUE(egress_->Set("box", BoxEgress()));
  EXPECT_EQ(GuestAsks("good.org", DnsType::kHttps).answers.size(), 1U);
}

TEST_F(NamePolicyTest, WithoutNamesInThePolicyNothingIsRead) {
  EchoServer server(kPublic);
  StartEgress({{"*"}, {"10.0.0.0/8"}, true});
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("bad.org")),
            ClientHelloFor("bad.org"));
  std::string broken = ClientHelloFor("good.org").substr(0, 30);
  EXPECT_EQ(GuestSends(kPublic, server.port(), broken), broken);
}

}  // namespace
}  // namespace viv::network
