#include "boxes/death_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace viv::boxes {
namespace {

struct Sleeper {
  Sleeper() : pid(::fork()) {
    if (pid == 0) {
      for (;;) ::pause();
    }
    pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  ~Sleeper() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  void End() {
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  }
  pid_t pid;
  UniqueFd pidfd;
};

TEST(DeathWatchTest, TellsOnceOfEachThatEnded) {
  auto watch = DeathWatch::Open();
  ASSERT_TRUE(watch);
  Sleeper one;
  Sleeper other;
  watch->Add(one.pidfd.get(), "one");
  watch->Add(other.pidfd.get(), "other");
  EXPECT_TRUE(watch->TakeEnded().empty());
  one.End();
  EXPECT_EQ(watch->TakeEnded(), std::vector<std::string>{"one"});
  EXPECT_TRUE(watch->TakeEnded().empty());
}

TEST(DeathWatchTest, SaysNothingOfAForgottenOne) {
  auto watch = DeathWatch::Open();
  ASSERT_TRUE(watch);
  Sleeper one;
  watch->Add(one.pidfd.get(), "one");
  watch->Forget("one");
  watch->Forget("nobody");
  one.End();
  EXPECT_TRUE(watch->TakeEnded().empty());
}

}  // namespace
}  // namespace viv::boxes
