// The cost of a box's folder: making it, making a layer of it after some changes, removing it.

#include <benchmark/benchmark.h>

#include "storage/scratch_for_test.h"

namespace viv::storage {
namespace {

constexpr std::int64_t kBenchBytes = 1LL << 30;

struct BenchStorage {
  BenchStorage()
      : storage(*BoxStorage::Open({.directory = scratch.path, .image_bytes = 8LL << 30})) {}
  ~BenchStorage() { (void)storage->Unmount(); }

  const ScratchFolder scratch;
  std::unique_ptr<BoxStorage> storage;
};

void BM_MakeAndRemoveABox(benchmark::State& state) {
  BenchStorage bench;
  int count = 0;
  for (auto _ : state) {
    const std::string name = "box-" + std::to_string(count++);
    if (!bench.storage->Make(name, kBenchBytes)) state.SkipWithError("make");
    state.PauseTiming();
    if (!bench.storage->Remove(name)) state.SkipWithError("remove");
    state.ResumeTiming();
  }
}
BENCHMARK(BM_MakeAndRemoveABox)->Iterations(1000)->Unit(benchmark::kMicrosecond);

void BM_RemoveABox(benchmark::State& state) {
  BenchStorage bench;
  int count = 0;
  for (auto _ : state) {
    const std::string name = "box-" + std::to_string(count++);
    state.PauseTiming();
    if (!bench.storage->Make(name, kBenchBytes)) state.SkipWithError("make");
    state.ResumeTiming();
    if (!bench.storage->Remove(name)) state.SkipWithError("remove");
  }
}
BENCHMARK(BM_RemoveABox)->Iterations(1000)->Unit(benchmark::kMicrosecond);

// The argument is how many files of 2 kB were written just before and are not on disk yet.
void BM_SealABox(benchmark::State& state) {
  BenchStorage bench;
  const std::string folder = *bench.storage->Make("box", kBenchBytes);
  const std::string text(2000, 'x');
  int count = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < state.range(0); ++i) WriteText(folder + "/" + std::to_string(i), text);
    state.ResumeTiming();
    if (!bench.storage->MakeLayer("box", "layer-" + std::to_string(count++)))
      state.SkipWithError("seal");
  }
}
BENCHMARK(BM_SealABox)
    ->Arg(0)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Iterations(50)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace viv::storage
