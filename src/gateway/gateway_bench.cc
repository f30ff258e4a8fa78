// The time that the gateway adds to a request on open connections: guest, gateway and origin run on
// one thread, with TLS on both sides. The second argument is the origin's HTTP version.

#include <benchmark/benchmark.h>

#include <optional>

#include "gateway/gateway_test_support.h"

namespace viv::gateway {
namespace {

Task<void> AskAgain(OriginConnection& connection, std::size_t& bytes, bool& done) {
  auto exchange = connection.Open();
  RequestHead head;
  head.method = "GET";
  head.authority = "origin.example";
  head.target = "/";
  for (int i = 0; i < 8; ++i) head.headers.Add("x-header-" + std::to_string(i), "some value");
  Status sent = co_await (*exchange)->SendHead(std::move(head));
  auto response = co_await (*exchange)->ReadHead();
  for (;;) {
    auto piece = co_await (*exchange)->ReadBody();
    if (!piece || piece->empty()) break;
    bytes += piece->size();
  }
  exchange->reset();
  done = true;
}

struct BenchFixture {
  explicit BenchFixture(bool origin_http2) {
    TestCertificate for_ca;
    for_ca.name = "an authority";
    for_ca.is_authority = true;
    ca = MakeTestIdentity(for_ca, nullptr);
    identity = MakeTestIdentity(TestCertificate(), &ca);
    TestOriginServer::Offer offer{TestServerContext(identity), origin_http2};
    EnableAlpnSelection(offer.context.get());
    origin.emplace(io, std::move(offer));
    origin_ca = SavePem(folder, PemOf(ca.certificate.get()));
    GatewayOptions options;
    options.folder = folder.path + "/gateway";
    options.issuer = [] { return std::string("http://localhost"); };
    options.origin_cas = {origin_ca};
    options.secrets = &secrets;
    gateway = *Gateway::Open(std::move(options));
    Plan plan;
    HeaderRule rule;
    rule.hosts = {"origin.example"};
    SetHeader header;
    header.name = "Authorization";
    header.value.text = "Bearer sesame";
    rule.headers = {header};
    plan.rules = {rule};
    box = std::static_pointer_cast<BoxGateway>(gateway->InterceptorFor(plan, BoxIdentity()));
  }

  // Connects with TLS over this socket, trusting that authority.
  std::shared_ptr<OriginConnection> Connect(UniqueFd near, const std::string& trusted, bool http2) {
    tls = *OriginTls::Open({trusted});
    std::optional<Result<TlsConnection>> secured;
    auto socket = http::AdoptSocket(io.get_executor(), std::move(near));
    asio::co_spawn(
        io, tls->Connect(*std::move(socket), "origin.example", http2),
        [&](std::exception_ptr, Result<TlsConnection> made) { secured = std::move(made); });
    while (!secured) io.run_one();
    auto transport = std::move((**secured).transport);
    return http2 ? MakeHttp2Origin(std::move(transport)) : MakeHttp1Origin(std::move(transport));
  }
  std::shared_ptr<OriginConnection> Direct(bool http2) {
    TestInterceptedFlow flow(io, UniqueFd(), origin->port());
    std::optional<UniqueFd> fd;
    asio::co_spawn(io, flow.Dial(""),
                   [&](std::exception_ptr, Result<UniqueFd> made) { fd = *std::move(made); });
    while (!fd) io.run_one();
    return Connect(*std::move(fd), origin_ca, http2);
  }
  std::shared_ptr<OriginConnection> Through(bool http2) {
    auto [near, far] = MakeTcpPair();
    auto flow = std::make_shared<TestInterceptedFlow>(io, std::move(far), origin->port());
    network::FirstBytes first_bytes;
    first_bytes.kind = network::FirstBytes::Kind::kTls;
    first_bytes.host = "origin.example";
    asio::co_spawn(io, box->ServeFlow(flow, first_bytes, ""), asio::detached);
    return Connect(std::move(near), SavePem(folder, gateway->authority_pem()), http2);
  }
  void Ask(OriginConnection& connection) {
    bool done = false;
    std::size_t bytes = 0;
    asio::co_spawn(io, AskAgain(connection, bytes, done), asio::detached);
    while (!done) io.run_one();
    origin->seen.clear();
  }

  ScratchFolder folder;
  TestSecrets secrets;
  TestIdentity ca, identity;
  std::string origin_ca;
  std::unique_ptr<Gateway> gateway;
  std::shared_ptr<BoxGateway> box;
  std::unique_ptr<OriginTls> tls;
  asio::io_context io;
  std::optional<TestOriginServer> origin;
};

void BM_DirectRequest(benchmark::State& state) {
  BenchFixture fixture(state.range(0) == 2);
  auto connection = fixture.Direct(state.range(0) == 2);
  for (auto _ : state) fixture.Ask(*connection);
  state.SetItemsProcessed(state.iterations());
}

void BM_InterceptedRequest(benchmark::State& state) {
  BenchFixture fixture(state.range(1) == 2);
  auto connection = fixture.Through(state.range(0) == 2);
  for (auto _ : state) fixture.Ask(*connection);
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_DirectRequest)->Arg(1)->Arg(2);
BENCHMARK(BM_InterceptedRequest)->Args({1, 1})->Args({1, 2})->Args({2, 1})->Args({2, 2});

}  // namespace
}  // namespace viv::gateway
