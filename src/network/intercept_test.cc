// Sniffing the connections of boxes that have an interceptor.

#include "network/sniff_test_support.h"

namespace viv::network {
namespace {

using InterceptTest = SniffTest;

TEST_F(InterceptTest, GetsTheConnectionsOfTheHostsItIntercepts) {
  EchoServer server(kOtherPublic);
  auto interceptor =
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"});
  StartBox(WithInterceptor(interceptor));
  GuestResolves("api.org");
  GuestResolves("sub.api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("API.org"), 9),
            "served api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), RequestFor("api.org") + "body"),
            "served api.org");
  // Every plain HTTP request may name another host, so all of them are served.
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), RequestFor("sub.api.org")),
            "served sub.api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("sub.api.org")),
            ClientHelloFor("sub.api.org"));
  EXPECT_EQ(interceptor->already_read(),
            (std::vector<std::string>{ClientHelloFor("API.org"), RequestFor("api.org") + "body",
                                      RequestFor("sub.api.org")}));
  EXPECT_EQ(interceptor->seen_first_bytes()[0].kind, FirstBytes::Kind::kTls);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(egress_->Read("box").connections, 4U);
}

TEST_F(InterceptTest, WhatItCannotReadIsRefusedWhereItShouldBeRead) {
  EchoServer server(kOtherPublic);
  StartBox(WithInterceptor(
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"})));
  GuestResolves("api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloWith("")), kNameAlert);
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("else.org")), kNameAlert);
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("api.org") + "x"),
            "served api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("1.2.3.4")), kDecodeAlert);
  EXPECT_TRUE(GuestSends(kOtherPublic, server.port(), "GET / HTTP/1.1\r\n\r\n")
                  .starts_with("HTTP/1.1 403 Forbidden\r\n"));
  std::string http2 = GuestSends(kOtherPublic, server.port(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  ASSERT_GT(http2.size(), 26U);
  EXPECT_EQ(http2.substr(0, 9), std::string("\0\0\0\4\0\0\0\0\0", 9));
  EXPECT_EQ(http2[12], 7);   // GOAWAY,
  EXPECT_EQ(http2[25], 13);  // for HTTP/1.1 is required
  EXPECT_EQ(http2.size(), 18U + static_cast<std::size_t>(http2[11]));
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(InterceptTest, AnEncryptedNameDoesNotMatterToAnInterceptorThatTerminatesTls) {
  EchoServer server(kOtherPublic);
  StartBox(WithInterceptor(
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"}),
      {{"api.org"}, {}, false}));
  GuestResolves("api.org");
  std::string hello =
      ClientHelloWith(ServerNameExtension("api.org") + EncryptedClientHelloExtension());
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), hello), "served api.org");
}

TEST_F(InterceptTest, ALiteralAddressIsNotIntercepted) {
  EchoServer server(kOtherPublic);
  auto interceptor =
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"});
  StartBox(WithInterceptor(interceptor));
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("api.org")), kNameAlert);
  EXPECT_TRUE(GuestSends(kOtherPublic, server.port(), RequestFor("api.org"))
                  .starts_with("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_TRUE(interceptor->seen_first_bytes().empty());
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("else.org")),
            ClientHelloFor("else.org"));
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), RequestFor(kOtherPublic)),
            "served " + std::string(kOtherPublic));
}

TEST_F(InterceptTest, WhatIsNeitherTlsNorHttpPassesUnread) {
  EchoServer server(kOtherPublic);
  StartBox(WithInterceptor(
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"})));
  GuestResolves("api.org");
  for (std::string_view bytes : {"SSH-2.0-OpenSSH_9.2\r\n", "\x05\x01\x02", ""})
    EXPECT_EQ(GuestSends(kOtherPublic, server.port(), bytes), bytes);
  // So do malformed bytes where no host is needed.
  EchoServer other(kPublic);
  GuestResolves("good.org");
  for (std::string_view bytes : {std::string_view("\x16\x03\x09"), std::string_view("GET /\r\n")})
    EXPECT_EQ(GuestSends(kPublic, other.port(), bytes), bytes);
}

TEST_F(InterceptTest, ThePolicyComesFirst) {
  EchoServer server(kOtherPublic);
  auto interceptor = std::make_shared<FakeInterceptor>(
      std::set<std::string, std::less<>>{"api.org", "sub.api.org"});
  StartBox(WithInterceptor(interceptor, {{"sub.api.org", "api.org:1"}, {}, false}));
  GuestResolves("api.org");
  EXPECT_EQ(GuestReads(kOtherPublic, server.port()), "reset");
  GuestResolves("sub.api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("api.org")), kNameAlert);
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), ClientHelloFor("sub.api.org")),
            "served sub.api.org");
  EXPECT_EQ(interceptor->seen_first_bytes().size(), 1U);
}

TEST_F(InterceptTest, KnowsWhichHostsARequestMayHave) {
  EchoServer server(kPublic);
  auto interceptor =
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"good.org"});
  StartBox(WithInterceptor(interceptor));
  EXPECT_EQ(GuestSends(kPublic, server.port(), RequestFor("x.org")), "served x.org");
  EXPECT_EQ(interceptor->allowed_hosts(), "bad.org api.org literal.org 93.184.216.34 ");
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), RequestFor("good.org")), "served good.org");
  EXPECT_EQ(interceptor->allowed_hosts(),
            "bad.org api.org literal.org 93.184.216.34 good.org 93.184.216.34 ");
}

TEST_F(InterceptTest, ASlowGuestIsServedUnlessTheOtherSideSpoke) {
  Listener listener = ListenOn(kOtherPublic);
  StartBox(WithInterceptor(
      std::make_shared<FakeInterceptor>(std::set<std::string, std::less<>>{"api.org"})));
  GuestResolves("api.org");
  for (bool spoke : {false, true}) {
    UniqueFd guest = GuestConnects(kOtherPublic, listener.port);
    UniqueFd server = AcceptOn(listener);  // it was dialled because the guest is silent
    if (spoke) {
      char greeting[2];
      WriteAll(server.get(), "hi");
      ASSERT_EQ(recv(guest.get(), greeting, 2, MSG_WAITALL), 2);
    }
    WriteAll(guest.get(), ClientHelloFor("api.org"));
    EXPECT_EQ(ReadToEnd(guest.get()), spoke ? "reset" : "served api.org");
    EXPECT_EQ(ReadToEnd(server.get()), spoke ? "reset" : "");
  }
}

// Holds the flows that it serves until they are aborted, and counts that.
class HoldingInterceptor : public Interceptor {
 public:
  bool InterceptsHost(std::string_view host) const override { return host == "api.org"; }
  Task<void> Serve(std::shared_ptr<Flow> flow, FirstBytes, std::string) override {
    Stream guest = AdoptStream(flow->box->loop.context(), flow->ReleaseGuestSocket());
    flow->on_abort = [&] {
      ++aborts;
      CloseWithReset(guest);
    };
    ++serving;
    char buffer[100];
    while (co_await WaitReadable(guest))
      if (recv(guest.native_handle(), buffer, sizeof buffer, 0) <= 0) break;
    flow->on_abort = nullptr;
    --serving;
  }
  void OnReplacedBy(Interceptor* next) override { successor = next; }
  std::atomic<int> serving{0}, aborts{0};
  std::atomic<Interceptor*> successor{this};
};

TEST_F(InterceptTest, AReplacedInterceptorIsToldAndItsFlowsAreAbortedOnlyWithANewProxy) {
  Listener listener = ListenOn(kOtherPublic);
  auto first = std::make_shared<HoldingInterceptor>();
  StartBox(WithInterceptor(first));
  GuestResolves("api.org");
  GuestResolves("sub.api.org");
  UniqueFd piped = GuestConnects(kOtherPublic, listener.port);
  WriteAll(piped.get(), ClientHelloFor("sub.api.org"));
  UniqueFd server = AcceptOn(listener);
  UniqueFd served = GuestConnects(kOtherPublic, listener.port);
  WriteAll(served.get(), ClientHelloFor("api.org"));
  while (first->serving == 0) sched_yield();
  ASSERT_TRUE(egress_->Set("box", WithInterceptor(first)));  // the same interceptor changes nothing
  EXPECT_EQ(first->successor, first.get());
  auto second = std::make_shared<HoldingInterceptor>();
  ASSERT_TRUE(egress_->Set("box", WithInterceptor(second)));
  EXPECT_EQ(first->successor, second.get());
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({})));
  EXPECT_EQ(second->successor, nullptr);
  ASSERT_TRUE(egress_->Set("box", EgressWithPolicy({})));
  EXPECT_EQ(second.use_count(), 2) << "it would end what is open if it went";
  auto third = std::make_shared<HoldingInterceptor>();
  ASSERT_TRUE(egress_->Set("box", WithInterceptor(third)));
  EXPECT_EQ(second->successor, third.get());
  EXPECT_EQ(second.use_count(), 1);
  EXPECT_EQ(first->aborts, 0);
  BoxEgress by_proxy = WithInterceptor(std::make_shared<HoldingInterceptor>());
  by_proxy.proxy = SocksProxy{std::string(kPublic), 1080, "", ""};
  ASSERT_TRUE(egress_->Set("box", by_proxy));
  EXPECT_EQ(ReadToEnd(served.get()), "reset");
  EXPECT_EQ(first->aborts, 1);
  WriteAll(server.get(), "still here");
  shutdown(server.get(), SHUT_WR);
  EXPECT_EQ(ReadToEnd(piped.get()), "still here");
  while (first->serving > 0) sched_yield();
}

TEST_F(InterceptTest, ANewPolicyAndTheEndOfTheBoxAbortInterceptedFlows) {
  Listener listener = ListenOn(kOtherPublic);
  auto holding = std::make_shared<HoldingInterceptor>();
  StartBox(WithInterceptor(holding));
  GuestResolves("api.org");
  for (int aborts : {1, 2}) {
    UniqueFd served = GuestConnects(kOtherPublic, listener.port);
    WriteAll(served.get(), RequestFor("api.org"));
    while (holding->serving == 0) sched_yield();
    if (aborts == 1) {
      ASSERT_TRUE(egress_->Set("box", WithInterceptor(holding, {{}, {"api.org"}, true})));
      ASSERT_TRUE(egress_->Set("box", WithInterceptor(holding)));
    } else {
      egress_->Close("box");
    }
    EXPECT_EQ(ReadToEnd(served.get()), "reset");
    EXPECT_EQ(holding->aborts, aborts);
    while (holding->serving > 0) sched_yield();
  }
}

// Sends what was already read to the flow's destination, and the reply back.
class DiallingInterceptor : public Interceptor {
 public:
  bool InterceptsHost(std::string_view) const override { return true; }
  Task<void> Serve(std::shared_ptr<Flow> flow, FirstBytes, std::string already_read) override {
    UniqueFd guest = flow->ReleaseGuestSocket();
    auto origin = co_await flow->Dial();
    if (!origin) {
      WriteAll(guest.get(), origin.error().message);
      co_return;
    }
    Stream stream = AdoptStream(flow->box->loop.context(), *std::move(origin));
    std::size_t size = already_read.size();
    flow->CountBytes(size, size);
    if (!co_await WriteFully(stream, std::move(already_read))) co_return;
    std::string answer = co_await ReadFully(stream, size);
    WriteAll(guest.get(), "origin: " + answer);
  }
  void OnReplacedBy(Interceptor*) override {}
};

TEST_F(InterceptTest, DialsWhereTheGuestMeantToGo) {
  EchoServer server(kOtherPublic);
  StartBox(WithInterceptor(std::make_shared<DiallingInterceptor>()));
  GuestResolves("api.org");
  EXPECT_EQ(GuestSends(kOtherPublic, server.port(), RequestFor("api.org")),
            "origin: " + RequestFor("api.org"));
  EXPECT_EQ(egress_->Read("box").bytes_out, RequestFor("api.org").size());
  EXPECT_EQ(GuestSends(kOtherPublic, 9, RequestFor("api.org")),
            "connect to 93.184.216.35 port 9: Connection refused");
}

TEST_F(InterceptTest, UsesTheConnectionThatWasDialledAhead) {
  EchoServer server(kPublic);
  StartBox(WithInterceptor(std::make_shared<DiallingInterceptor>()));
  GuestResolves("good.org");  // which is not intercepted, so the guest may speak any protocol
  EXPECT_EQ(GuestSends(kPublic, server.port(), RequestFor("good.org")),
            "origin: " + RequestFor("good.org"));
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace viv::network
