// Feeds each fuzz target the files of its seed corpus, tests/fuzz/corpus/NAME.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz_target.h"

namespace viv::fuzz {
namespace {

class Corpus : public testing::Test {
 public:
  Corpus(std::filesystem::path folder, Function run) : folder_(std::move(folder)), run_(run) {}

  void TestBody() override {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      SCOPED_TRACE(entry.path());
      std::ifstream file(entry.path(), std::ios::binary);
      std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
      EXPECT_EQ(run_(bytes.data(), bytes.size()), 0);
      ++count;
    }
    EXPECT_GT(count, 0u) << "no files in " << folder_;
  }

 private:
  std::filesystem::path folder_;
  Function run_;
};

}  // namespace

Target::Target(const char* name, Function run) {
  auto folder = std::filesystem::path(VIV_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  testing::RegisterTest("Corpus", name, nullptr, nullptr, __FILE__, __LINE__,
                        [folder, run]() -> testing::Test* { return new Corpus(folder, run); });
}

}  // namespace viv::fuzz
