#pragma once
// FUZZ_TARGET(name)(const std::uint8_t* data, std::size_t size) { … }: libFuzzer's function under
// the fuzz preset, where each target is a program. Elsewhere all targets are in one test,
// corpora_test.

#include <cstddef>
#include <cstdint>

#ifdef VIV_FUZZ
#define FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#else
namespace viv::fuzz {

using Function = int (*)(const std::uint8_t* data, std::size_t size);

// Makes a test of the target and its corpus.
struct Target {
  Target(const char* name, Function run);
};

}  // namespace viv::fuzz

#define FUZZ_TARGET(name)                                                   \
  static int FuzzRun_##name(const std::uint8_t* data, std::size_t size);    \
  static const viv::fuzz::Target fuzz_target_##name(#name, FuzzRun_##name); \
  static int FuzzRun_##name
#endif
