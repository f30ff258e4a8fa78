// The cost of a box's network: a namespace from the pool and a new one, opening the listeners, and
// connections through them compared with plain loopback in the same run.

#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "network/client_hello_test_support.h"
#include "network/egress.h"
#include "network/namespaces.h"
#include "network/scoped_netns.h"
#include "network/test_internet.h"

namespace viv::network {
namespace {

constexpr std::size_t kChunk = 1 << 20;

class BenchNamespaces {
 public:
  BenchNamespaces() {
    CHECK(mkdtemp(directory_.data()) != nullptr);
    auto opened = Namespaces::Open(directory_ + "/net");
    CHECK(opened.has_value());
    pool_ = *std::move(opened);
  }
  ~BenchNamespaces() {
    for (const std::string& name : pool_->List()) pool_->Release(name);
    pool_.reset();
    std::filesystem::remove_all(directory_);
  }
  Namespaces* operator->() { return pool_.get(); }

 private:
  std::string directory_ = "/tmp/viv-network-bench-XXXXXX";
  std::unique_ptr<Namespaces> pool_;
};

UniqueFd Connect(std::string_view address, std::uint16_t port) {
  SocketAddress to = ToSocketAddress({*ParseAddress(address), port});
  UniqueFd fd(socket(to.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  CHECK(connect(fd.get(), to.get(), to.size) == 0);
  return fd;
}

// Discards what it receives; questions and ClientHellos are echoed.
class Sink {
 public:
  Sink() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SocketAddress any = ToSocketAddress({*ParseAddress("0.0.0.0"), 0});
    CHECK(bind(listener_.get(), any.get(), any.size) == 0 && listen(listener_.get(), 512) == 0);
    getsockname(listener_.get(), any.get(), &any.size);
    port_ = FromSocketAddress(any)->port;
    thread_ = std::thread([this] { Serve(); });
  }
  ~Sink() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  void Serve() {
    std::vector<char> buffer(kChunk);
    for (;;) {
      UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) return;
      while (true) {
        ssize_t got = read(fd.get(), buffer.data(), buffer.size());
        if (got <= 0) break;
        if (buffer[0] == '?' || buffer[0] == '\x16')
          send(fd.get(), buffer.data(), static_cast<std::size_t>(got), 0);
      }
    }
  }
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// A box whose traffic goes through an egress, and the test internet that it reaches.
class BenchFixture {
 public:
  explicit BenchFixture(BoxEgress box = {}) {
    auto acquired = namespaces_->Acquire();
    CHECK(acquired.has_value());
    namespace_ = *std::move(acquired);
    auto scope = ScopedNetns::EnterNew();
    CHECK(scope.has_value() && MakeTestInternet().has_value());
    internet_ = std::make_unique<ScopedNetns>(*std::move(scope));
    auto started = Egress::Start({{"127.0.0.1:53"}, {}});
    CHECK(started.has_value());
    egress_ = *std::move(started);
    CHECK(egress_->Open("box", namespace_.fd.get(), std::move(box)).has_value());
    sink_ = std::make_unique<Sink>();
  }
  // Connects from inside the box through its listener, or directly over loopback.
  UniqueFd Dial(bool through) {
    if (!through) return Connect("127.0.0.1", sink_->port());
    auto scope = ScopedNetns::Enter(namespace_.fd.get());
    return Connect(kPublic, sink_->port());
  }

 private:
  BenchNamespaces namespaces_;
  Namespaces::Handle namespace_;
  std::unique_ptr<ScopedNetns> internet_;
  std::unique_ptr<Egress> egress_;
  std::unique_ptr<Sink> sink_;
};

void BM_AcquireFromPool(benchmark::State& state) {
  BenchNamespaces namespaces;
  namespaces->SetReadyCount(64);
  namespaces->WaitUntilIdle();
  for (auto _ : state) {
    auto acquired = namespaces->Acquire();
    CHECK(acquired.has_value());
    state.PauseTiming();
    acquired->fd = UniqueFd();
    namespaces->Release(acquired->name);
    namespaces->WaitUntilIdle();
    state.ResumeTiming();
  }
}
BENCHMARK(BM_AcquireFromPool)->Unit(benchmark::kMicrosecond)->Iterations(1000);

void BM_AcquireNew(benchmark::State& state) {
  BenchNamespaces namespaces;
  for (auto _ : state) CHECK(namespaces->Acquire().has_value());
}
BENCHMARK(BM_AcquireNew)->Unit(benchmark::kMicrosecond)->Iterations(200);

void BM_Open(benchmark::State& state) {
  BenchNamespaces namespaces;
  auto acquired = namespaces->Acquire();
  auto egress = Egress::Start({{"127.0.0.1:53"}, {}});
  CHECK(acquired.has_value() && egress.has_value());
  BoxEgress by_name;
  by_name.policy = {{"*.example.com"}, {"0.0.0.0/0"}, true};
  for (auto _ : state) {
    CHECK((*egress)->Open("box", acquired->fd.get(), by_name).has_value());
    state.PauseTiming();
    (*egress)->Close("box");
    state.ResumeTiming();
  }
}
BENCHMARK(BM_Open)->Unit(benchmark::kMicrosecond)->Iterations(1000);

void BM_Close(benchmark::State& state) {
  BenchNamespaces namespaces;
  auto acquired = namespaces->Acquire();
  auto egress = Egress::Start({{"127.0.0.1:53"}, {}});
  CHECK(acquired.has_value() && egress.has_value());
  for (auto _ : state) {
    state.PauseTiming();
    CHECK((*egress)->Open("box", acquired->fd.get(), {}).has_value());
    state.ResumeTiming();
    (*egress)->Close("box");
  }
}
BENCHMARK(BM_Close)->Unit(benchmark::kMicrosecond)->Iterations(1000);

// The argument: 0 over plain loopback, 1 through the listener.
void BM_Throughput(benchmark::State& state) {
  BenchFixture fixture;
  UniqueFd fd = fixture.Dial(state.range(0) == 1);
  std::string chunk(kChunk, 'x');
  for (auto _ : state)
    for (std::size_t at = 0; at < chunk.size();) {
      ssize_t put = send(fd.get(), chunk.data() + at, chunk.size() - at, MSG_NOSIGNAL);
      CHECK(put > 0);
      at += static_cast<std::size_t>(put);
    }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kChunk));
}
BENCHMARK(BM_Throughput)->Arg(0)->Arg(1)->UseRealTime()->MinTime(1.0);

void BM_RoundTrip(benchmark::State& state) {
  BenchFixture fixture;
  UniqueFd fd = fixture.Dial(state.range(0) == 1);
  std::string question(200, '?');
  for (auto _ : state) {
    CHECK(send(fd.get(), question.data(), question.size(), 0) == 200);
    CHECK(recv(fd.get(), question.data(), question.size(), MSG_WAITALL) == 200);
  }
}
BENCHMARK(BM_RoundTrip)->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMicrosecond);

// The argument: 0 over plain loopback, 1 through the listener, 2 through a listener that reads the
// server name because the policy contains names.
void BM_ConnectAndAsk(benchmark::State& state) {
  BoxEgress box;
  if (state.range(0) == 2) box.policy.deny = {"*.denied.org"};
  BenchFixture fixture(std::move(box));
  const std::string question = ClientHelloFor("api.example.com");
  std::string answer = question;
  for (auto _ : state) {
    UniqueFd fd = fixture.Dial(state.range(0) != 0);
    CHECK(send(fd.get(), question.data(), question.size(), 0) > 0);
    CHECK(recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL) > 0);
  }
}
BENCHMARK(BM_ConnectAndAsk)
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(2000);

}  // namespace
}  // namespace viv::network
