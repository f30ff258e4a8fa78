// Boxes whose connections go out through a SOCKS5 proxy.

#include "base/run_to_end.h"
#include "network/sniff_test_support.h"
#include "network/socks_test_support.h"

namespace viv::network {
namespace {

using Requests = std::vector<std::string>;

class EgressProxyTest : public SniffTest {
 protected:
  static BoxEgress Through(std::string_view host, std::uint16_t port, Policy policy = {}) {
    BoxEgress egress = EgressBy(std::move(policy));
    egress.proxy = SocksProxy{std::string(host), port, "", ""};
    return egress;
  }
};

TEST_F(EgressProxyTest, IsAskedForNamesAndForAddressesAsTheGuestUsedThem) {
  EchoServer server(kPublic);
  HonestProxy proxy(kOtherPublic, kPublic);
  StartBox(Through(kOtherPublic, proxy.port()));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "one"), "one");
  GuestResolves("good.org");
  EXPECT_EQ(GuestSays(kPublic, server.port(), "two"), "two");
  std::string port = ":" + std::to_string(server.port());
  EXPECT_EQ(proxy.requests(), (Requests{std::string(kPublic) + port, "good.org" + port}));
  EXPECT_EQ(egress_->Read("box").connections, 2U);
}

TEST_F(EgressProxyTest, IsAskedForTheNameThatTheGuestSaid) {
  EchoServer server(kPublic);
  HonestProxy proxy(kOtherPublic, kPublic);
  StartBox(Through(kOtherPublic, proxy.port(), {{"good.org", "bad.org"}, {}, false}));
  GuestResolves("good.org");
  GuestResolves("bad.org");
  EXPECT_EQ(GuestSays(kPublic, server.port(), HelloFor("good.org")), HelloFor("good.org"));
  EXPECT_EQ(proxy.requests(), (Requests{"good.org:" + std::to_string(server.port())}));
}

TEST_F(EgressProxyTest, IsFoundByItsNameOnce) {
  EchoServer server(kPublic);
  HonestProxy proxy(kOtherPublic, kPublic);
  StartBox(Through("sub.api.org", proxy.port()));
  int questions = resolver_->questions();
  EXPECT_EQ(GuestSays(kPublic, server.port(), "one"), "one");
  EXPECT_EQ(GuestSays(kPublic, server.port(), "two"), "two");
  EXPECT_EQ(proxy.connections(), 2);
  EXPECT_EQ(resolver_->questions(), questions + 1);
}

TEST_F(EgressProxyTest, WhenItFailsNothingGoesAnotherWay) {
  EchoServer server(kPublic);
  FakeProxy refusing(kOtherPublic, [](int fd) {
    ReceiveExactly(fd, 3);
    WriteAll(fd, "\x05\xff");
  });
  StartBox(Through(kOtherPublic, refusing.port()));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", Through(kOtherPublic, 9)));  // nobody is there
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", Through("unknown.org", 1080)));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  ASSERT_TRUE(egress_->Set("box", Through("not a name", 1080)));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  EXPECT_EQ(server.connections(), 0);
  EXPECT_EQ(egress_->Read("box").connections, 0U);
}

TEST_F(EgressProxyTest, IsNoWayToPrivateAddresses) {
  ServeNames(HonestResolver({{"inside.org", {"10.1.2.3", "169.254.169.254"}}}));
  EchoServer server(kPublic);
  HonestProxy inside("10.1.2.3", kPublic), own(kOwnPublic, kPublic);
  StartBox(Through("10.1.2.3", inside.port()));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  for (std::string_view host : {"inside.org", "::ffff:10.1.2.3", "127.0.0.1", "169.254.169.254"}) {
    ASSERT_TRUE(egress_->Set("box", Through(host, inside.port())));
    EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset") << host;
  }
  ASSERT_TRUE(egress_->Set("box", Through(kOwnPublic, own.port())));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "reset");
  EXPECT_EQ(inside.connections() + own.connections(), 0);
}

TEST_F(EgressProxyTest, MayBePrivateWhereTheOperatorSaysSo) {
  ServeNames(HonestResolver({{"inside.org", {"10.1.2.3"}}}));
  EchoServer server(kPublic);
  HonestProxy proxy("10.1.2.3", kPublic);
  EgressOptions options;
  options.open_private = {"10.1.2.3:" + std::to_string(proxy.port())};
  StartBox(Through("10.1.2.3", proxy.port()), options);
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "x");
  ASSERT_TRUE(egress_->Set("box", Through("inside.org", proxy.port())));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "x");
}

TEST_F(EgressProxyTest, IsJudgedBeforeABoxHasIt) {
  ServeNames(HonestResolver({{"good.org", {std::string(kPublic)}},
                             {"inside.org", {"10.1.2.3"}},
                             {"both.org", {std::string(kPublic), "10.1.2.3"}},
                             {"six.org", {"2606:4700::1"}},
                             {"inside-six.org", {std::string(kPublic), "::1"}},
                             {"none.org", {}}}));
  EgressOptions options;
  options.open_private = {"10.9.9.9"};
  StartBox(EgressBy({}), options);
  auto judged = [&](std::string_view host) -> std::string {
    auto checked = RunToEnd(egress_->CheckProxy(SocksProxy{std::string(host), 1080, "", ""}));
    if (checked) return "fine";
    const bool guarded = checked.error().code == ErrorCode::kPermissionDenied;
    return (guarded ? "guarded: " : "") + checked.error().message;
  };
  for (std::string_view host : {std::string_view("good.org"), std::string_view("six.org"), kPublic,
                                std::string_view("10.9.9.9")})
    EXPECT_EQ(judged(host), "fine") << host;
  EXPECT_EQ(judged("inside.org"), "guarded: inside.org resolves to 10.1.2.3");
  EXPECT_EQ(judged("both.org"), "guarded: both.org resolves to 10.1.2.3");
  EXPECT_EQ(judged("inside-six.org"), "guarded: inside-six.org resolves to ::1");
  EXPECT_EQ(judged("::ffff:10.1.2.3"), "guarded: ::ffff:10.1.2.3 resolves to 10.1.2.3");
  EXPECT_EQ(judged(kOwnPublic),
            "guarded: " + std::string(kOwnPublic) + " resolves to " + std::string(kOwnPublic));
  EXPECT_EQ(judged("unknown.org"), "no such host");
  EXPECT_EQ(judged("none.org"), "no such host");
  EXPECT_EQ(judged("not a name"), "the proxy's host is no host name");
}

TEST_F(EgressProxyTest, DoesNotWidenThePolicy) {
  HonestProxy proxy(kOtherPublic, kPublic);
  StartBox(Through(kOtherPublic, proxy.port(), {{}, {kPublic.data()}, true}));
  EXPECT_EQ(GuestReads(kPublic, 80), "reset");
  EXPECT_EQ(GuestReads("10.1.2.3", 80), "reset");
  EXPECT_EQ(proxy.connections(), 0);
}

TEST_F(EgressProxyTest, ANewOneIsUsedAtOnce) {
  EchoServer server(kPublic);
  HonestProxy first(kOtherPublic, kPublic), second(kOtherPublic, kPublic);
  StartBox(Through("api.org", first.port()));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "x");
  ASSERT_TRUE(egress_->Set("box", Through("api.org", second.port())));
  EXPECT_EQ(GuestSays(kPublic, server.port(), "x"), "x");
  EXPECT_EQ(first.connections(), 1);
  EXPECT_EQ(second.connections(), 1);
}

}  // namespace
}  // namespace viv::network
