// Boxes whose connections go through a SOCKS5 proxy.

#include "base/run_to_end.h"
#include "network/sniff_test_support.h"
#include "network/socks_test_support.h"

namespace viv::network {
namespace {

using Requests = std::vector<std::string>;

class EgressProxyTest : public SniffTest {
 protected:
  static BoxEgress ThroughProxy(std::string_view host, std::uint16_t port, Policy policy = {}) {
    BoxEgress egress = EgressWithPolicy(std::move(policy));
    egress.proxy = SocksProxy{std::string(host), port, "", ""};
    return egress;
  }
};

TEST_F(EgressProxyTest, IsAskedForNamesAndForAddressesAsTheGuestUsedThem) {
  EchoServer server(kPublic);
  WorkingProxy proxy(kOtherPublic, kPublic);
  StartBox(ThroughProxy(kOtherPublic, proxy.port()));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "one"), "one");
  GuestResolves("good.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), "two"), "two");
  std::string port = ":" + std::to_string(server.port());
  EXPECT_EQ(proxy.requests(), (Requests{std::string(kPublic) + port, "good.org" + port}));
  EXPECT_EQ(egress_->Read("box").connections, 2U);
}

TEST_F(EgressProxyTest, IsAskedForTheNameThatTheGuestSaid) {
  EchoServer server(kPublic);
  WorkingProxy proxy(kOtherPublic, kPublic);
  StartBox(ThroughProxy(kOtherPublic, proxy.port(), {{"good.org", "bad.org"}, {}, false}));
  GuestResolves("good.org");
  GuestResolves("bad.org");
  EXPECT_EQ(GuestSends(kPublic, server.port(), ClientHelloFor("good.org")),
            ClientHelloFor("good.org"));
  EXPECT_EQ(proxy.requests(), (Requests{"good.org:" + std::to_string(server.port())}));
}

TEST_F(EgressProxyTest, IsFoundByItsNameOnce) {
  EchoServer server(kPublic);
  WorkingProxy proxy(kOtherPublic, kPublic);
  StartBox(ThroughProxy("sub.api.org", proxy.port()));
  int questions = resolver_->questions();
  EXPECT_EQ(GuestSends(kPublic, server.port(), "one"), "one");
  EXPECT_EQ(GuestSends(kPublic, server.port(), "two"), "two");
  EXPECT_EQ(proxy.connections(), 2);
  EXPECT_EQ(resolver_->questions(), questions + 1);
}

TEST_F(EgressProxyTest, WhenItFailsNothingGoesAnotherWay) {
  EchoServer server(kPublic);
  FakeProxy refusing(kOtherPublic, [](int fd) {
    ReceiveExactly(fd, 3);
    WriteAll(fd, "\x05\xff");
  });
  StartBox(ThroughProxy(kOtherPublic, refusing.port()));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", ThroughProxy(kOtherPublic, 9)));  // nobody is there
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", ThroughProxy("unknown.org", 1080)));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", ThroughProxy("not a name", 1080)));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  EXPECT_EQ(server.connections(), 0);
  EXPECT_EQ(egress_->Read("box").connections, 0U);
}

TEST_F(EgressProxyTest, IsNoWayToPrivateAddresses) {
  ServeNames(ZoneResolver({{"inside.org", {"10.1.2.3", "169.254.169.254"}}}));
  EchoServer server(kPublic);
  WorkingProxy inside("10.1.2.3", kPublic), own(kHostPublic, kPublic);
  StartBox(ThroughProxy("10.1.2.3", inside.port()));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  for (std::string_view host : {"inside.org", "::ffff:10.1.2.3", "127.0.0.1", "169.254.169.254"}) {
    ASSERT_TRUE(egress_->Set("box", ThroughProxy(host, inside.port())));
    EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset") << host;
  }
  ASSERT_TRUE(egress_->Set("box", ThroughProxy(kHostPublic, own.port())));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "reset");
  EXPECT_EQ(inside.connections() + own.connections(), 0);
}

TEST_F(EgressProxyTest, MayBePrivateWhereTheOperatorSaysSo) {
  ServeNames(ZoneResolver({{"inside.org", {"10.1.2.3"}}}));
  EchoServer server(kPublic);
  WorkingProxy proxy("10.1.2.3", kPublic);
  EgressOptions options;
  options.open_private = {"10.1.2.3:" + std::to_string(proxy.port())};
  StartBox(ThroughProxy("10.1.2.3", proxy.port()), options);
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "x");
  ASSERT_TRUE(egress_->Set("box", ThroughProxy("inside.org", proxy.port())));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "x");
}

TEST_F(EgressProxyTest, IsCheckedBeforeABoxHasIt) {
  ServeNames(ZoneResolver({{"good.org", {std::string(kPublic)}},
                           {"inside.org", {"10.1.2.3"}},
                           {"both.org", {std::string(kPublic), "10.1.2.3"}},
                           {"six.org", {"2606:4700::1"}},
                           {"inside-six.org", {std::string(kPublic), "::1"}},
                           {"none.org", {}}}));
  EgressOptions options;
  options.open_private = {"10.9.9.9"};
  StartBox(EgressWithPolicy({}), options);
  auto checked_host = [&](std::string_view host) -> std::string {
    auto checked = RunToEnd(egress_->CheckProxy(SocksProxy{std::string(host), 1080, "", ""}));
    if (checked) return "fine";
    const bool closed = checked.error().code == ErrorCode::kPermissionDenied;
    return (closed ? "closed: " : "") + checked.error().message;
  };
  for (std::string_view host : {std::string_view("good.org"), std::string_view("six.org"), kPublic,
                                std::string_view("10.9.9.9")})
    EXPECT_EQ(checked_host(host), "fine") << host;
  EXPECT_EQ(checked_host("inside.org"), "closed: inside.org resolves to 10.1.2.3");
  EXPECT_EQ(checked_host("both.org"), "closed: both.org resolves to 10.1.2.3");
  EXPECT_EQ(checked_host("inside-six.org"), "closed: inside-six.org resolves to ::1");
  EXPECT_EQ(checked_host("::ffff:10.1.2.3"), "closed: ::ffff:10.1.2.3 resolves to 10.1.2.3");
  EXPECT_EQ(checked_host(kHostPublic),
            "closed: " + std::string(kHostPublic) + " resolves to " + std::string(kHostPublic));
  EXPECT_EQ(checked_host("unknown.org"), "no such host");
  EXPECT_EQ(checked_host("none.org"), "no such host");
  EXPECT_EQ(checked_host("not a name"), "the proxy's host is no host name");
}

TEST_F(EgressProxyTest, DoesNotWidenThePolicy) {
  WorkingProxy proxy(kOtherPublic, kPublic);
  StartBox(ThroughProxy(kOtherPublic, proxy.port(), {{}, {kPublic.data()}, true}));
  EXPECT_EQ(GuestReads(kPublic, 80), "reset");
  EXPECT_EQ(GuestReads("10.1.2.3", 80), "reset");
  EXPECT_EQ(proxy.connections(), 0);
}

TEST_F(EgressProxyTest, ANewOneIsUsedAtOnce) {
  EchoServer server(kPublic);
  WorkingProxy first(kOtherPublic, kPublic), second(kOtherPublic, kPublic);
  StartBox(ThroughProxy("api.org", first.port()));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "x");
  ASSERT_TRUE(egress_->Set("box", ThroughProxy("api.org", second.port())));
  EXPECT_EQ(GuestSends(kPublic, server.port(), "x"), "x");
  EXPECT_EQ(first.connections(), 1);
  EXPECT_EQ(second.connections(), 1);
}

}  // namespace
}  // namespace viv::network
