// What a store costs: reads with 100,000 sandboxes in memory, writes with the disk in the loop.

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "base/ids.h"
#include "store/sqlite/sqlite_store.h"

namespace viv::store {
namespace {

constexpr int kSandboxes = 100'000;

class BenchStore {
 public:
  explicit BenchStore(Durability durability) {
    CHECK(::mkdtemp(directory_.data()) != nullptr);
    SqliteStore::Options options;
    options.database.durability = durability;
    auto store = SqliteStore::Open(directory_ + "/viv.db", options);
    CHECK(store.has_value());
    store_ = *std::move(store);
  }
  ~BenchStore() {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  SqliteStore& operator*() { return *store_; }

 private:
  std::string directory_ = "/tmp/viv-store-bench-XXXXXX";
  std::unique_ptr<SqliteStore> store_;
};

SandboxStore::AcquireRequest MakeRequest(std::int64_t number) {
  SandboxStore::AcquireRequest request;
  Sandbox& lease = request.lease;
  lease.id = RandomUuid();
  lease.server = number % 2 == 0 ? "slack" : "github";
  lease.email = "user" + std::to_string(number) + "@example.test";
  lease.account_id = "5e0c4b9e-52f0-4f0e-9c3b-1a1a1a1a1a1a";
  lease.lease_id = RandomUuid();
  lease.expires_at_us = number;
  lease.benchmark = number % 10 == 0 ? "hard" : "easy";
  lease.tags_json = R"({"run":"2026-02-16","team":"agents"})";
  lease.settings_json = "{}";
  lease.created_at_us = lease.updated_at_us = number;
  return request;
}

// Not a lambda, and braces-free awaits: see STYLE.md on what g++ 12 does to those.
Task<void> AcquireOne(SqliteStore& store, std::int64_t number, std::string& id) {
  auto request = MakeRequest(number);
  auto acquired = co_await store.Acquire(std::move(request));
  CHECK(acquired.has_value());
  id = (*acquired)->id;
}

struct FullStore {
  FullStore() : store(Durability::kNormal), ids(kSandboxes) {
    asio::io_context context;
    for (int number = 0; number < kSandboxes; ++number) {
      std::string& id = ids[static_cast<std::size_t>(number)];
      asio::co_spawn(context, AcquireOne(*store, number, id), asio::detached);
      if (number % 1000 == 999) {
        context.run();
        context.restart();
      }
    }
    context.run();
    CHECK((*store).CountSandboxes() == kSandboxes);
  }
  BenchStore store;
  std::vector<std::string> ids;
};

// Filled once for all benchmarks of reads.
SqliteStore& Filled(std::vector<std::string>** ids = nullptr) {
  static FullStore full;
  if (ids != nullptr) *ids = &full.ids;
  return *full.store;
}

SandboxStore::ListQuery MakeQuery(std::size_t offset) {
  SandboxStore::ListQuery query;
  query.account_id = MakeRequest(0).lease.account_id;
  query.offset = offset;
  query.limit = 100;
  return query;
}

void ListPage(benchmark::State& state) {
  SqliteStore& store = Filled();
  auto query = MakeQuery(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(store.ListSandboxes(query));
}
BENCHMARK(ListPage)->Arg(0)->Arg(50'000)->Arg(99'900)->Unit(benchmark::kMicrosecond);

void ListPageOfServer(benchmark::State& state) {
  SqliteStore& store = Filled();
  auto query = MakeQuery(1000);
  query.server = "slack";
  for (auto _ : state) benchmark::DoNotOptimize(store.ListSandboxes(query));
}
BENCHMARK(ListPageOfServer)->Unit(benchmark::kMicrosecond);

void ListPageWithFilter(benchmark::State& state) {
  SqliteStore& store = Filled();
  auto query = MakeQuery(1000);
  query.accept = [](const Sandbox& row) { return row.benchmark == "hard"; };
  for (auto _ : state) benchmark::DoNotOptimize(store.ListSandboxes(query));
}
BENCHMARK(ListPageWithFilter)->Unit(benchmark::kMicrosecond);

void Get(benchmark::State& state) {
  std::vector<std::string>* ids = nullptr;
  SqliteStore& store = Filled(&ids);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.GetSandbox((*ids)[next]));
    next = (next + 7919) % ids->size();
  }
}
BENCHMARK(Get);

// One turn of a sandbox: acquired, then released.
Task<void> Turn(SqliteStore& store, std::int64_t number) {
  auto request = MakeRequest(number);
  request.lease.server = "slack";
  auto acquired = co_await store.Acquire(std::move(request));
  CHECK(acquired.has_value());
  Sandbox idle = **acquired;
  std::string lease_id = idle.lease_id;
  idle.state = SandboxState::kIdle;
  idle.account_id.clear();
  idle.lease_id.clear();
  Status released = co_await store.Update(std::move(idle), std::move(lease_id));
  CHECK(released.has_value());
}

void AcquireAndRelease(benchmark::State& state) {
  BenchStore store(state.range(1) == 0 ? Durability::kFull : Durability::kNormal);
  std::int64_t number = 0;
  for (auto _ : state) {
    asio::io_context context;
    for (int i = 0; i < state.range(0); ++i) {
      asio::co_spawn(context, Turn(*store, ++number), asio::detached);
    }
    context.run();
  }
  state.SetItemsProcessed(number);
}
BENCHMARK(AcquireAndRelease)
    ->ArgNames({"coroutines", "normal"})
    ->ArgsProduct({{1, 16}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace viv::store
