#include "boxes/box_reaper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace viv::boxes {
namespace {

// Which of `count` boxes may go now.
struct Wedged {
  explicit Wedged(std::size_t count) : may_go(count) {}
  std::vector<std::atomic<bool>> may_go;
};

TEST(BoxReaperTest, OneThatDoesNotDieHoldsUpNobody) {
  constexpr std::size_t kWedged = 64;
  Wedged wedged(kWedged);
  std::atomic<std::size_t> ended = 0;
  BoxReaper endings;
  for (std::size_t i = 0; i < kWedged; ++i) {
    endings.Add(
        {"wedged", [&wedged, i] { return wedged.may_go[i].load(); }, [&ended] { ++ended; }});
  }
  for (int i = 0; i < 100; ++i) {
    std::promise<void> over;
    endings.Add({"ordinary", [] { return true; }, [&over] { over.set_value(); }});
    over.get_future().wait();
  }
  EXPECT_EQ(ended, 0U);
  EXPECT_GE(endings.size(), kWedged);
  for (auto& may : wedged.may_go) may = true;
  while (endings.size() != 0) std::this_thread::yield();
  EXPECT_EQ(ended, kWedged);
}

TEST(BoxReaperTest, AsksUntilNothingIsLeft) {
  BoxReaper endings;
  std::atomic<int> asked = 0;
  std::promise<int> over;
  endings.Add({"slow", [&asked] { return ++asked == 5; }, [&] { over.set_value(asked); }});
  EXPECT_EQ(over.get_future().get(), 5);
}

TEST(BoxReaperTest, WaitsAtItsEndForThoseThatGo) {
  std::atomic<int> asked = 0, ended = 0;
  {
    BoxReaper endings;
    for (int i = 0; i < 10; ++i)
      endings.Add({"box", [&asked] { return ++asked > 30; }, [&ended] { ++ended; }});
  }
  EXPECT_EQ(ended, 10);
}

}  // namespace
}  // namespace viv::boxes
