#include "runtime/machine.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/trial.h"

namespace viv::runtime {
namespace {

const MachineCheck* FindBarrier(const std::vector<MachineCheck>& checks, const std::string& name) {
  auto found = std::find_if(checks.begin(), checks.end(),
                            [&](const MachineCheck& check) { return check.name == name; });
  return found == checks.end() ? nullptr : &*found;
}

TEST(MachineTest, SaysWhatItFoundAndWhatToDoAboutWhatIsNotThere) {
  for (const MachineCheck& check : ProbeMachine("/no/such/viv-agent")) {
    EXPECT_FALSE(check.name.empty());
    EXPECT_FALSE(check.finding.empty()) << check.name;
    EXPECT_EQ(check.advice.empty(), check.state == MachineCheck::State::kPresent) << check.name;
  }
}

TEST(MachineTest, MissesAnAgentThatIsNotThere) {
  auto checks = ProbeMachine("/no/such/viv-agent");
  const MachineCheck* agent = FindBarrier(checks, "agent");
  ASSERT_NE(agent, nullptr);
  EXPECT_EQ(agent->state, MachineCheck::State::kMissing);
  EXPECT_NE(agent->advice.find("/no/such/viv-agent"), std::string::npos);
}

TEST(MachineTest, MissesIdMapsWhereThereAreNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "mapping mounts needs root";
  auto checks = ProbeMachine("/bin/true", "/proc");
  const MachineCheck* maps = FindBarrier(checks, "id-mapped mounts");
  ASSERT_NE(maps, nullptr);
  EXPECT_EQ(maps->state, MachineCheck::State::kMissing);
  EXPECT_NE(maps->advice.find("/proc"), std::string::npos);
}

TEST(MachineTest, ATrialReturnsItsErrorAndLeavesUsAsWeWere) {
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
