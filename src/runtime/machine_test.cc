#include "runtime/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/trial.h"

namespace viv::runtime {
namespace {

const Barrier* FindBarrier(const std::vector<Barrier>& barriers, const std::string& name) {
  auto found = std::find_if(barriers.begin(), barriers.end(),
                            [&](const Barrier& barrier) { return barrier.name == name; });
  return found == barriers.end() ? nullptr : &*found;
}

TEST(MachineTest, SaysWhatItFoundAndWhatToDoAboutWhatIsNotThere) {
  for (const Barrier& barrier : ProbeMachine("/no/such/viv-agent")) {
    EXPECT_FALSE(barrier.name.empty());
    EXPECT_FALSE(barrier.finding.empty()) << barrier.name;
    EXPECT_EQ(barrier.advice.empty(), barrier.state == Barrier::State::kPresent) << barrier.name;
  }
}

TEST(MachineTest, MissesAnAgentThatIsNotThere) {
  auto barriers = ProbeMachine("/no/such/viv-agent");
  const Barrier* agent = FindBarrier(barriers, "agent");
  ASSERT_NE(agent, nullptr);
  EXPECT_EQ(agent->state, Barrier::State::kMissing);
  EXPECT_NE(agent->advice.find("/no/such/viv-agent"), std::string::npos);
}

TEST(MachineTest, MissesIdMapsWhereThereAreNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "mapping mounts needs root";
  auto barriers = ProbeMachine("/bin/true", "/proc");
  const Barrier* maps = FindBarrier(barriers, "id-mapped mounts");
  ASSERT_NE(maps, nullptr);
  EXPECT_EQ(maps->state, Barrier::State::kMissing);
  EXPECT_NE(maps->advice.find("/proc"), std::string::npos);
}

TEST(MachineTest, ATrialAnswersItsErrorAndLeavesUsAsWeWere) {
  EXPECT_EQ(TryInChild(0, [](const void*) { return 0; }), 0);
  EXPECT_EQ(TryInChild(0, [](const void*) { return ENOTTY; }), ENOTTY);
  int seen = 0;
  EXPECT_EQ(TryInChild(
                0,
                [](const void* value) {
                  *static_cast<int*>(const_cast<void*>(value)) = 1;
                  return 0;
                },
                &seen),
            0);
  EXPECT_EQ(seen, 0) << "the trial ran in our own memory";
}

TEST(MachineTest, ATrialThatDiesIsAFailure) {
  EXPECT_NE(TryInChild(0,
                       [](const void*) {
                         ::kill(::getpid(), SIGKILL);
                         return 0;
                       }),
            0);
}

}  // namespace
}  // namespace viv::runtime
