#include "gateway/gateway.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/steady_timer.hpp>

#include "gateway/gateway_test_support.h"

namespace viv::gateway {
namespace {

struct GuestResponse {
  Status status;
  ResponseHead head;
  std::string body;
  bool done = false;
};

Task<Status> AskAsGuest(OriginExchange& exchange,
                        RequestHead head,
                        std::string body,
                        GuestResponse& into) {
  bool has_body = head.has_body;
  CO_RETURN_IF_ERROR(co_await exchange.SendHead(std::move(head)));
  while (!body.empty()) {
    std::string piece = body.substr(0, 60'000);
    body.erase(0, piece.size());
    CO_RETURN_IF_ERROR(co_await exchange.SendBody(std::move(piece)));
  }
  http::Headers none;
  if (has_body) {
    CO_RETURN_IF_ERROR(co_await exchange.Finish(std::move(none)));
  }
  ASSIGN_OR_CO_RETURN(into.head, co_await exchange.ReadHead());
  while (into.head.has_body) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange.ReadBody());
    if (piece.empty()) break;
    into.body += piece;
  }
  co_return Status();
}

Task<void> AskOnce(std::shared_ptr<OriginConnection> connection,
                   RequestHead head,
                   std::string body,
                   GuestResponse& into) {
  auto exchange = connection->Open();
  if (exchange)
    into.status = co_await AskAsGuest(**exchange, std::move(head), std::move(body), into);
  if (!exchange) into.status = PassUp(exchange.error());
  into.done = true;
}

RequestHead GuestRequest(std::string target = "/", std::string method = "GET") {
  RequestHead head;
  head.method = std::move(method);
  head.authority = "origin.example";
  head.target = std::move(target);
  return head;
}

// Made once, because it takes long.
struct GatewayFixture {
  GatewayFixture() {
    TestCertificate for_ca;
    for_ca.name = "an authority";
    for_ca.is_authority = true;
    ca = MakeTestIdentity(for_ca, nullptr);
    GatewayOptions options;
    options.folder = folder.path + "/gateway";
    options.issuer = [] { return std::string("http://localhost"); };
    options.origin_cas = {SavePem(folder, PemOf(ca.certificate.get()))};
    options.secrets = &secrets;
    auto opened = Gateway::Open(std::move(options));
    EXPECT_TRUE(opened) << opened.error().message;
    gateway = *std::move(opened);
    trusting = *OriginTls::Open({SavePem(folder, gateway->authority_pem())});
  }

  ScratchFolder folder;
  TestSecrets secrets;
  TestIdentity ca;
  std::unique_ptr<Gateway> gateway;
  std::unique_ptr<OriginTls> trusting;
};

GatewayFixture& SharedFixture() {
  static GatewayFixture fixture;
  return fixture;
}

class GatewayTest : public testing::Test {
 protected:
  GatewayTest() { UsePlan(); }

  void UsePlan() { box = BoxWith("sesame"); }

  std::shared_ptr<BoxGateway> BoxWith(std::string secret) {
    Plan plan;
    HeaderRule rule;
    rule.name = "test";
    rule.hosts = {"origin.example"};
    SetHeader header;
    header.name = "Authorization";
    header.value.kind = SecretText::Kind::kSealed;
    header.value.text = std::move(secret);
    rule.headers = {header};
    plan.rules = {rule};
    return std::static_pointer_cast<BoxGateway>(gateway->InterceptorFor(plan, BoxIdentity()));
  }

  void StartOrigin(bool http2, std::string name = "origin.example") {
    TestCertificate wanted;
    wanted.name = std::move(name);
    identity = MakeTestIdentity(wanted, &ca);
    TestOriginServer::Offer offer{TestServerContext(identity), http2};
    EnableAlpnSelection(offer.context.get());
    if (origin) earlier.push_back(std::move(origin));
    origin = std::make_unique<TestOriginServer>(io, std::move(offer));
  }

  template <typename Condition>
  [[nodiscard]] bool Until(Condition holds) {
    while (!holds()) {
      io.restart();
      if (io.run_one_for(std::chrono::seconds(30)) == 0) return holds();
    }
    return true;
  }

  // Connects a guest through the gateway; nullptr if that fails.
  std::shared_ptr<OriginConnection> ConnectGuest(bool http2) {
    auto [near, far] = MakeTcpPair();
    std::optional<Result<TlsConnection>> secured;
    int seen_by_gateway = far.get();
    flow = std::make_shared<TestInterceptedFlow>(io, std::move(far), origin ? origin->port() : 1);
    auto socket = http::AdoptSocket(io.get_executor(), std::move(near));
    asio::co_spawn(
        io, trusting->Connect(*std::move(socket), "origin.example", http2),
        [&](std::exception_ptr, Result<TlsConnection> made) { secured = std::move(made); });
    EXPECT_TRUE(Until([&] {
      pollfd look{seen_by_gateway, POLLIN, 0};
      return poll(&look, 1, 0) == 1;
    }));
    network::FirstBytes first_bytes;
    first_bytes.kind = network::FirstBytes::Kind::kTls;
    first_bytes.host = "origin.example";
    std::string already_read(4096, '\0');
    ssize_t got = ::recv(seen_by_gateway, already_read.data(), already_read.size(), 0);
    already_read.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    Serve(std::move(first_bytes), std::move(already_read));
    EXPECT_TRUE(Until([&] { return secured.has_value(); }));
    if (!*secured) return nullptr;
    EXPECT_EQ((*secured)->http2, http2);
    return http2 ? MakeHttp2Origin(std::move((*secured)->transport))
                 : MakeHttp1Origin(std::move((*secured)->transport));
  }
  void Serve(network::FirstBytes first_bytes, std::string already_read) {
    ++serving;
    asio::co_spawn(io, box->ServeFlow(flow, std::move(first_bytes), std::move(already_read)),
                   [this](std::exception_ptr failure) {
                     EXPECT_FALSE(failure);
                     --serving;
                   });
  }

  GuestResponse AskThrough(std::shared_ptr<OriginConnection> connection,
                           RequestHead head,
                           std::string body = "") {
    GuestResponse response;
    asio::co_spawn(io, AskOnce(connection, std::move(head), std::move(body), response),
                   asio::detached);
    EXPECT_TRUE(Until([&] { return response.done; }));
    EXPECT_TRUE(response.status) << response.status.error().message;
    return response;
  }

  TestIdentity& ca = SharedFixture().ca;
  Gateway* const gateway = SharedFixture().gateway.get();
  OriginTls* const trusting = SharedFixture().trusting.get();
  TestIdentity identity;
  std::shared_ptr<BoxGateway> box;
  int serving = 0;
  asio::io_context io;  // destroyed before what its coroutines refer to
  std::unique_ptr<TestOriginServer> origin;
  std::vector<std::unique_ptr<TestOriginServer>> earlier;  // their coroutines may still run
  std::shared_ptr<TestInterceptedFlow> flow;
};

TEST_F(GatewayTest, LogsARequestThatIsNone) {
  StartOrigin(true);
  auto guest = ConnectGuest(true);
  ASSERT_NE(guest, nullptr);
  RequestHead head = GuestRequest("/things?x=1");
  head.authority = "user@origin.example";
  EXPECT_EQ(AskThrough(guest, head).head.status, 400);
  ASSERT_EQ(flow->records.size(), 1u);
  EXPECT_EQ(flow->records[0].verdict, "refused");
  EXPECT_EQ(flow->records[0].name, "origin.example");
  EXPECT_EQ(flow->records[0].path, "/things");
}

class GatewayVersionTest : public GatewayTest,
                           public testing::WithParamInterface<std::pair<bool, bool>> {};

TEST_P(GatewayVersionTest, AddsTheHeaderOfARuleBetweenWhateverVersions) {
  auto [guest_http2, origin_http2] = GetParam();
  StartOrigin(origin_http2);
  auto guest = ConnectGuest(guest_http2);
  ASSERT_NE(guest, nullptr);
  for (int i = 0; i < 3; ++i) {
    GuestResponse response = AskThrough(guest, GuestRequest("/things?x=1"));
    EXPECT_EQ(response.head.status, 200);
    EXPECT_EQ(response.head.headers.Get("x-origin"), "yes");
    EXPECT_EQ(response.body, "hello");
  }
  ASSERT_EQ(origin->seen.size(), 3u);
  EXPECT_EQ(origin->seen[0].head.headers.Get("authorization"), "revealed sesame");
  EXPECT_EQ(origin->seen[0].head.authority, "origin.example");
  EXPECT_EQ(origin->seen[0].head.target, "/things?x=1");
  EXPECT_EQ(origin->accepted, 1);
  ASSERT_EQ(flow->records.size(), 3u);
  EXPECT_EQ(flow->records[0].rule, "header rule test");
  EXPECT_EQ(flow->records[0].path, "/things");
  EXPECT_EQ(flow->records[0].status, 200);
}

TEST_P(GatewayVersionTest, StreamsLargeBodiesBothWays) {
  auto [guest_http2, origin_http2] = GetParam();
  StartOrigin(origin_http2);
  auto guest = ConnectGuest(guest_http2);
  ASSERT_NE(guest, nullptr);
  RequestHead head = GuestRequest("/echo", "POST");
  head.has_body = true;
  std::string body;
  for (int i = 0; i < 300'000; ++i) body += std::to_string(i % 10'000);
  GuestResponse response = AskThrough(guest, head, body);
  EXPECT_EQ(response.body.size(), body.size());
  EXPECT_TRUE(response.body == body);
  EXPECT_GE(flow->bytes_out, body.size());
  EXPECT_GE(flow->bytes_in, body.size());
}

INSTANTIATE_TEST_SUITE_P(Versions,
                         GatewayVersionTest,
                         testing::Values(std::pair(false, false),
                                         std::pair(false, true),
                                         std::pair(true, false),
                                         std::pair(true, true)));

TEST_F(GatewayTest, UsesOneConnectionToTheOriginForManyOfTheGuest) {
  StartOrigin(false);
  for (int i = 0; i < 3; ++i) {
    auto guest = ConnectGuest(i == 1);
    ASSERT_NE(guest, nullptr);
    EXPECT_EQ(AskThrough(guest, GuestRequest()).body, "hello");
    guest->Close();
  }
  EXPECT_EQ(origin->accepted, 1);
  EXPECT_TRUE(Until([&] { return serving == 0; }));
}

TEST_F(GatewayTest, SendsNothingToAnOriginThatLiesInItsCertificate) {
  StartOrigin(false, "other.example");
  auto guest = ConnectGuest(false);
  ASSERT_NE(guest, nullptr);
  GuestResponse response = AskThrough(guest, GuestRequest());
  EXPECT_EQ(response.head.status, 502);
  EXPECT_NE(response.body.find("certificate"), std::string::npos);
  EXPECT_TRUE(origin->seen.empty());
  ASSERT_EQ(flow->records.size(), 1u);
  EXPECT_EQ(flow->records[0].verdict, "failed");
  EXPECT_EQ(AskThrough(guest, GuestRequest()).head.status, 502);  // the connection is still usable
}

TEST_F(GatewayTest, SaysThatAnOriginCannotBeReached) {
  auto guest = ConnectGuest(true);
  ASSERT_NE(guest, nullptr);
  GuestResponse response = AskThrough(guest, GuestRequest());
  EXPECT_EQ(response.head.status, 502);
  EXPECT_EQ(response.body, "origin.example cannot be reached: connection refused");
}

TEST_F(GatewayTest, RefusesAnotherHostThanTlsWasBegunFor) {
  StartOrigin(false);
  for (bool http2 : {false, true}) {
    auto guest = ConnectGuest(http2);
    ASSERT_NE(guest, nullptr);
    RequestHead head = GuestRequest();
    head.authority = "evil.example";
    EXPECT_EQ(AskThrough(guest, head).head.status, 421);
  }
  EXPECT_TRUE(origin->seen.empty());
}

Task<void> TalkThroughUpgrade(std::shared_ptr<OriginConnection> guest, std::string& received) {
  auto exchange = guest->Open();
  RequestHead head = GuestRequest("/socket");
  head.upgrade = "websocket";
  Status sent = co_await (*exchange)->SendHead(std::move(head));
  auto response = co_await (*exchange)->ReadHead();
  EXPECT_TRUE(response && response->status == 101);
  http::ByteStream* bytes = (*exchange)->upgraded();
  if (bytes == nullptr) co_return;
  for (std::string word : {"one", "two"}) {
    std::string out = word;
    sent = co_await bytes->Write(std::move(out));
    auto back = co_await bytes->Read();
    if (back) received += *back;
  }
  received += ".";
}

TEST_F(GatewayTest, PassesAnUpgradeOnToAnOriginThatCouldSpeakHttp2) {
  StartOrigin(true);
  auto guest = ConnectGuest(false);
  ASSERT_NE(guest, nullptr);
  std::string received;
  asio::co_spawn(io, TalkThroughUpgrade(guest, received), asio::detached);
  EXPECT_TRUE(Until([&] { return received.ends_with('.'); }));
  EXPECT_EQ(received, "<one><two>.");
  EXPECT_EQ(origin->seen[0].head.headers.Get("authorization"), "revealed sesame");
}

TEST_F(GatewayTest, ServesHttpInTheClearForTheHostsThatAreAllowed) {
  TestOriginServer::Offer in_the_clear;
  origin = std::make_unique<TestOriginServer>(io, in_the_clear);
  auto [near, far] = MakeTcpPair();
  flow = std::make_shared<TestInterceptedFlow>(io, std::move(far), origin->port());
  auto socket = http::AdoptSocket(io.get_executor(), std::move(near));
  auto guest = MakeHttp1Origin(http::MakePlainTransport(*std::move(socket)));
  network::FirstBytes first_bytes;
  first_bytes.kind = network::FirstBytes::Kind::kHttp;
  first_bytes.host = "origin.example";
  Serve(first_bytes, "");
  EXPECT_EQ(AskThrough(guest, GuestRequest()).body, "hello");
  EXPECT_EQ(origin->seen[0].head.headers.Get("authorization"), "revealed sesame");
  RequestHead other = GuestRequest();
  other.authority = "evil.example";
  EXPECT_EQ(AskThrough(guest, other).head.status, 403);
  EXPECT_EQ(origin->seen.size(), 1u);
}

TEST_F(GatewayTest, EndsBothSidesWhenTheFlowIsAborted) {
  for (bool http2 : {false, true}) {
    StartOrigin(http2);
    origin->silent = true;
    auto guest = ConnectGuest(http2);
    ASSERT_NE(guest, nullptr);
    GuestResponse response;
    asio::co_spawn(io, AskOnce(guest, GuestRequest(), "", response), asio::detached);
    EXPECT_TRUE(Until([&] { return origin->seen.size() == 1; }));
    ASSERT_TRUE(flow->on_abort);
    flow->on_abort();
    EXPECT_TRUE(Until([&] { return response.done && serving == 0; }));
    EXPECT_FALSE(response.status);
    EXPECT_FALSE(flow->on_abort);  // the callback was removed
    ASSERT_EQ(flow->records.size(), 1u);
    EXPECT_EQ(flow->records[0].verdict, "failed");
  }
}

TEST_F(GatewayTest, EndsTheOriginsSideWhenTheGuestResetsItsStream) {
  StartOrigin(true);
  origin->silent = true;
  auto guest = ConnectGuest(true);
  ASSERT_NE(guest, nullptr);
  GuestResponse response;
  asio::co_spawn(io, AskOnce(guest, GuestRequest(), "", response), asio::detached);
  EXPECT_TRUE(Until([&] { return origin->seen.size() == 1; }));
  guest->Close();
  EXPECT_TRUE(Until([&] { return response.done && serving == 0; }));
  ASSERT_EQ(flow->records.size(), 1u);
}

TEST_P(GatewayVersionTest, AConnectionThatIsOpenFollowsTheRulesThatReplaceItsOwn) {
  auto [guest_http2, origin_http2] = GetParam();
  StartOrigin(origin_http2);
  auto guest = ConnectGuest(guest_http2);
  ASSERT_NE(guest, nullptr);
  AskThrough(guest, GuestRequest());
  for (const char* secret : {"second", "third"}) {
    auto next = BoxWith(secret);
    box->OnReplacedBy(next.get());
    box = std::move(next);  // destroys the previous one
    AskThrough(guest, GuestRequest());
    EXPECT_EQ(origin->seen.back().head.headers.Get("authorization"),
              std::string("revealed ") + secret);
  }
  box->OnReplacedBy(nullptr);
  AskThrough(guest, GuestRequest());
  EXPECT_FALSE(origin->seen.back().head.headers.Has("authorization"));
  EXPECT_EQ(origin->accepted, 1);
  guest->Close();
  EXPECT_TRUE(Until([&] { return serving == 0; }));
  box.reset();
  EXPECT_TRUE(Until([&] { return origin->ended == 1; }));
}

TEST_F(GatewayTest, ClosesIdleConnectionsToOriginsWhenItIsDropped) {
  StartOrigin(false);
  auto guest = ConnectGuest(false);
  ASSERT_NE(guest, nullptr);
  AskThrough(guest, GuestRequest());
  guest->Close();
  EXPECT_TRUE(Until([&] { return serving == 0; }));
  EXPECT_EQ(origin->ended, 0);
  box.reset();
  EXPECT_TRUE(Until([&] { return origin->ended == 1; }));
}

TEST_F(GatewayTest, IsDroppedWithItsLoopWhileRequestsAreUnderWay) {
  StartOrigin(true);
  origin->silent = true;
  auto guest = ConnectGuest(true);
  ASSERT_NE(guest, nullptr);
  auto response = std::make_unique<GuestResponse>();
  asio::co_spawn(io, AskOnce(guest, GuestRequest(), "", *response), asio::detached);
  EXPECT_TRUE(Until([&] { return origin->seen.size() == 1; }));
  guest.reset();
}

TEST_F(GatewayTest, InterceptsTheHostsOfThePlanAndNoOthers) {
  EXPECT_FALSE(gateway->InterceptorFor(Plan(), BoxIdentity())->InterceptsHost("api.example.com"));
  EXPECT_TRUE(box->InterceptsHost("origin.example"));
  EXPECT_FALSE(box->InterceptsHost("other.example"));
  EXPECT_NE(gateway->authority_pem().find("BEGIN CERTIFICATE"), std::string::npos);
  EXPECT_EQ(gateway->authority_pem().find("PRIVATE"), std::string::npos);
  EXPECT_NE(gateway->JwksJson().find("Ed25519"), std::string::npos);
}

}  // namespace
}  // namespace viv::gateway
