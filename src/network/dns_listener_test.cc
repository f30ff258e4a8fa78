#include <set>

#include "network/egress_test_support.h"

namespace viv::network {
namespace {

using namespace std::string_literals;
using DnsListenerTest = EgressTest;
using Addresses = std::vector<std::string>;

const Zone kZone = {
    {"good.org", {"93.184.216.34", "2606:2800:220:1::1"}},
    {"alias.org", {"93.184.216.34"}},
    {"rebind.org", {"169.254.169.254", "93.184.216.34", "10.0.0.1", "127.0.0.1", "fd00::5"}},
    {"inner.org", {"192.168.0.1"}},
};

TEST_F(DnsListenerTest, AnswersWhateverServerTheGuestAsks) {
  ServeNames(ZoneResolver(kZone));
  StartEgress({});
  for (std::string_view server :
       {kNameserver, std::string_view("8.8.8.8"), std::string_view("2001:4860:4860::8888")}) {
    DnsReply reply = GuestAsks("good.org", DnsType::kA, server);
    ASSERT_EQ(reply.answers.size(), 1U) << server;
    EXPECT_EQ(AddressFromRaw(reply.answers[0].data).Text(), kPublic);
  }
  EXPECT_EQ(GuestResolves("good.org", DnsType::kAaaa), (Addresses{"2606:2800:220:1::1"}));
  EXPECT_EQ(GuestAsks("nothing.org").code, DnsCode::kNoName);
}

TEST_F(DnsListenerTest, AnswersOnConnectionsToo) {
  ServeNames(ZoneResolver(kZone));
  StartEgress({});
  std::string question = WriteDnsQuery(7, {*DnsNameFromText("good.org"), DnsType::kA, "good.org"});
  std::string framed = {0, static_cast<char>(question.size())};
  framed += question;
  std::string answers;
  AsGuest(netns(), [&] {
    Dialled dialled = DialTcp(EndpointOf("1.1.1.1", 53));
    WriteAll(dialled.fd.get(), framed + framed);  // two questions on one connection
    shutdown(dialled.fd.get(), SHUT_WR);
    answers = ReadToEnd(dialled.fd.get());
  });
  ASSERT_GT(answers.size(), 4U);
  auto size = static_cast<std::size_t>(static_cast<std::uint8_t>(answers[1]));
  ASSERT_EQ(answers.size(), 2 * (size + 2));
  auto reply = ParseDnsReply(answers.substr(2, size));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->answers.size(), 1U);
}

TEST_F(DnsListenerTest, AConnectionThatSpeaksNoDnsIsEnded) {
  StartEgress({});
  AsGuest(netns(), [&] {
    Dialled dialled = DialTcp(EndpointOf("1.1.1.1", 53));
    WriteAll(dialled.fd.get(), "GET / HTTP/1.1\r\n\r\n");
    EXPECT_NE(ReadToEnd(dialled.fd.get()).find("HTTP"), 0U);
  });
}

TEST_F(DnsListenerTest, AnAllowedNameOpensItsAddressOnly) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer greeter(kPublic), other(kOtherPublic);
  StartEgress({{"good.org"}, {"0.0.0.0/0"}, true});
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "reset");  // not asked for yet
  EXPECT_EQ(GuestResolves("GOOD.org"), (Addresses{std::string(kPublic)}));
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
  EXPECT_EQ(GuestReads(kOtherPublic, other.port()), "reset");
}

TEST_F(DnsListenerTest, ANameThatIsNotAllowedIsNotEvenAskedFor) {
  ServeNames(ZoneResolver(kZone));
  StartEgress({{"good.org"}, {}, false});
  EXPECT_EQ(GuestAsks("alias.org").code, DnsCode::kNoName);
  EXPECT_EQ(GuestAsks("c2VjcmV0.good.org").code, DnsCode::kNoName);
  EXPECT_EQ(resolver_->questions(), 0);
  EXPECT_EQ(egress_->Read("box").refused, 2U);
}

TEST_F(DnsListenerTest, AnAllowedNameAndPortOpensThatPortOnly) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer greeter(kPublic), other(kPublic);
  StartEgress({{"good.org:" + std::to_string(greeter.port())}, {}, false});
  EXPECT_EQ(GuestResolves("good.org"), (Addresses{std::string(kPublic)}));
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "reset");
}

TEST_F(DnsListenerTest, ADeniedNameIsNotAskedForAndOthersAre) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer greeter(kPublic), other(kPublic);
  std::string one_port = "alias.org:" + std::to_string(other.port());
  StartEgress({{}, {"good.org", one_port}, true});
  EXPECT_EQ(GuestAsks("good.org").code, DnsCode::kNoName);
  EXPECT_EQ(resolver_->questions(), 0);
  EXPECT_EQ(GuestResolves("alias.org"), (Addresses{std::string(kPublic)}));
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
  EXPECT_EQ(GuestReads(kPublic, other.port()), "reset");
}

TEST_F(DnsListenerTest, AnyAllowedNameOfAnAddressWillDo) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer greeter(kPublic);
  StartEgress({{"good.org"}, {"93.184.216.0/24"}, true});
  GuestResolves("alias.org");
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "reset");
  GuestResolves("good.org");
  GuestResolves("alias.org");  // the last, and not allowed
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

TEST_F(DnsListenerTest, WhatAnotherBoxResolvedDoesNotCount) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer greeter(kPublic);
  Policy policy{{"good.org"}, {}, false};
  StartEgress(policy);
  GuestResolves("good.org");
  auto other = namespaces_->Acquire();
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE(egress_->Open("other", other->fd.get(), EgressWithPolicy(policy)));
  std::swap(namespace_, *other);
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "reset");
  std::swap(namespace_, *other);
  EXPECT_EQ(GuestReads(kPublic, greeter.port()), "hello");
}

TEST_F(DnsListenerTest, PrivateAddressesAreTakenOutOfAnswers) {
  ServeNames(ZoneResolver(kZone));
  GreetingServer metadata("169.254.169.254");
  StartEgress({});
  EXPECT_EQ(GuestResolves("rebind.org"), (Addresses{std::string(kPublic)}));
  EXPECT_TRUE(GuestResolves("rebind.org", DnsType::kAaaa).empty());
  DnsReply inner = GuestAsks("inner.org");
  EXPECT_EQ(inner.code, DnsCode::kNoError);
  EXPECT_TRUE(inner.answers.empty());
  EXPECT_EQ(GuestReads("169.254.169.254", metadata.port()), "reset");
}

TEST_F(DnsListenerTest, OpenedPrivateAddressesStayInAnswers) {
  ServeNames(ZoneResolver(kZone));
  EgressOptions options;
  options.open_private = {"192.168.0.0/24"};
  StartEgress({}, options);
  EXPECT_EQ(GuestResolves("inner.org"), (Addresses{"192.168.0.1"}));
}

TEST_F(DnsListenerTest, ForgedAnswersAreIgnored) {
  ServeNames([](const std::string& question, bool, const FakeResolver::Send& send) {
    std::string forged = AnswerFromZone({{"good.org", {"6.6.6.6"}}}, question);
    std::string wrong_id = forged;
    wrong_id[0] = static_cast<char>(wrong_id[0] ^ 1);
    send(wrong_id);
    std::string wrong_name = forged;
    wrong_name[13] = 'f';  // food.org
    send(wrong_name);
    std::string wrong_type = forged;
    wrong_type[23] = 28;
    send(wrong_type);
    send(forged.substr(0, forged.size() - 1));
    send(question);
    send("");
    send(AnswerFromZone(kZone, question));
  });
  StartEgress({});
  EXPECT_EQ(GuestResolves("good.org"), (Addresses{std::string(kPublic)}));
}

TEST_F(DnsListenerTest, AGuesserOfAnswersIsGivenUpOn) {
  ServeNames([](const std::string& question, bool, const FakeResolver::Send& send) {
    std::string forged = AnswerFromZone({{"good.org", {"6.6.6.6"}}}, question);
    forged[0] = static_cast<char>(forged[0] ^ 1);
    for (int i = 0; i < 100; ++i) send(forged);
  });
  StartEgress({});
  EXPECT_EQ(GuestAsks("good.org").code, DnsCode::kServerFailure);
  EXPECT_LE(resolver_->questions(), 3);
}

TEST_F(DnsListenerTest, EveryQuestionHasItsOwnId) {
  auto ids = std::make_shared<std::set<std::string>>();
  ServeNames([ids](const std::string& question, bool, const FakeResolver::Send& send) {
    ids->insert(question.substr(0, 2));
    send(AnswerFromZone(kZone, question));
  });
  StartEgress({});
  for (int i = 0; i < 16; ++i) GuestAsks("good.org");
  resolver_.reset();
  EXPECT_GE(ids->size(), 14U);  // of 16; two random ids may collide
}

TEST_F(DnsListenerTest, RecordsThatDoNotBelongAreDropped) {
  ServeNames([](const std::string& question, bool, const FakeResolver::Send& send) {
    auto query = ParseDnsQuery(question);
    DnsName alias = *DnsNameFromText("edge.cdn.net");
    DnsName victim = *DnsNameFromText("bank.org");
    DnsReply reply;
    reply.answers = {{query->question.name, DnsType::kCname, 60, alias},
                     AddressRecord(victim, "6.6.6.6"),
                     AddressRecord(alias, kPublic)};
    reply.authority = {{victim, DnsType::kNs, 60, victim}};
    send(WriteDnsReply(*query, reply, kDnsMessageMax));
  });
  StartEgress({});
  DnsReply reply = GuestAsks("good.org");
  ASSERT_EQ(reply.answers.size(), 2U);
  EXPECT_EQ(reply.answers[0].type, DnsType::kCname);
  EXPECT_EQ(AddressFromRaw(reply.answers[1].data).Text(), kPublic);
  EXPECT_TRUE(reply.authority.empty());
}

TEST_F(DnsListenerTest, ATruncatedAnswerIsAskedForByTcp) {
  auto by_tcp_count = std::make_shared<std::atomic<int>>(0);
  ServeNames(
      [by_tcp_count](const std::string& question, bool by_tcp, const FakeResolver::Send& send) {
        std::string answer = AnswerFromZone(kZone, question);
        if (by_tcp) ++*by_tcp_count;
        if (!by_tcp) answer[2] = static_cast<char>(answer[2] | 2);
        send(answer);
      });
  StartEgress({});
  EXPECT_EQ(GuestResolves("good.org"), (Addresses{std::string(kPublic)}));
  EXPECT_EQ(*by_tcp_count, 1);
}

TEST_F(DnsListenerTest, ALongAnswerIsTruncatedForADatagram) {
  Zone zone;
  for (int i = 0; i < 200; ++i) zone["many.org"].push_back("93.1.2." + std::to_string(i));
  ServeNames(ZoneResolver(zone));
  StartEgress({});
  EXPECT_TRUE(GuestAsks("many.org").truncated);
}

TEST_F(DnsListenerTest, MalformedQuestionsGetAnErrorAndDoNoHarm) {
  ServeNames(ZoneResolver(kZone));
  StartEgress({});
  std::string question = WriteDnsQuery(9, {*DnsNameFromText("good.org"), DnsType::kA, "good.org"});
  std::string cut = GuestAsksRaw(question.substr(0, 20));
  ASSERT_EQ(cut.size(), 12U);
  EXPECT_EQ(cut[3] & 0xf, static_cast<int>(DnsCode::kFormError));
  std::string any = question;
  any[23] = '\xff';
  EXPECT_EQ(ParseDnsReply(GuestAsksRaw(any)).has_value(), false);  // ANY is no host question
  AsGuest(netns(), [] {                                            // these get no reply
    Dialled dialled = DialAs(EndpointOf(kNameserver, 53), SOCK_DGRAM);
    for (const std::string& bytes : {""s, "x"s, std::string(60000, 'x'), std::string(12, '\xff')})
      send(dialled.fd.get(), bytes.data(), bytes.size(), 0);
  });
  EXPECT_EQ(GuestResolves("good.org").size(), 1U);
  EXPECT_EQ(resolver_->questions(), 1);
}

TEST_F(DnsListenerTest, QuestionsBeyondTheLimitFailAtOnce) {
  ServeNames([](const std::string&, bool, const FakeResolver::Send&) {});  // never answers
  StartEgress({});
  int failures = 0;
  AsGuest(netns(), [&] {
    Dialled dialled = DialAs(EndpointOf(kNameserver, 53), SOCK_DGRAM);
    constexpr int kAsked = 100;
    for (int i = 0; i < kAsked; ++i) {
      std::string question = WriteDnsQuery(static_cast<std::uint16_t>(i),
                                           {*DnsNameFromText("good.org"), DnsType::kA, "good.org"});
      send(dialled.fd.get(), question.data(), question.size(), 0);
    }
    char buffer[512];
    for (; failures < kAsked - 64; ++failures)
      ASSERT_GT(recv(dialled.fd.get(), buffer, sizeof buffer, 0), 0);
  });
  EXPECT_EQ(failures, 36);
  EXPECT_EQ(egress_->Read("box").refused, 36U);
  egress_->Close("box");  // with questions open
}

TEST_F(DnsListenerTest, ADeadResolverIsAnsweredWithServerFailure) {
  StartEgress({});  // its resolver is a port where nobody listens
  EXPECT_EQ(GuestAsks("good.org").code, DnsCode::kServerFailure);
}

TEST(ResolverAddressTest, ReadsAddressesWithAndWithoutPorts) {
  EXPECT_TRUE(Egress::Start({{"127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:5353"}, {}}));
  for (const char* bad :
       {"", "localhost", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:99999", "[::1]", ":53"})
    EXPECT_EQ(Egress::Start({{bad}, {}}).error().code, ErrorCode::kInvalidArgument) << bad;
  EXPECT_EQ(Egress::Start({{"127.0.0.1"}, {"not an address!"}}).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace viv::network
