#include "boxes/exit_poller.h"

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

TEST(ExitPollerTest, TellsOnceOfEachThatEnded) {
  auto poller = ExitPoller::Open();
  ASSERT_TRUE(poller);
  Sleeper one;
  Sleeper other;
  poller->Add(one.pidfd.get(), "one");
  poller->Add(other.pidfd.get(), "other");
  EXPECT_TRUE(poller->TakeExited().empty());
  one.End();
  EXPECT_EQ(poller->TakeExited(), std::vector<std::string>{"one"});
  EXPECT_TRUE(poller->TakeExited().empty());
}

TEST(ExitPollerTest, TellsAgainOfOneThatIsAddedAgain) {
  auto poller = ExitPoller::Open();
  ASSERT_TRUE(poller);
  Sleeper one;
  poller->Add(one.pidfd.get(), "one");
  one.End();
  EXPECT_EQ(poller->TakeExited(), std::vector<std::string>{"one"});
  poller->Add(one.pidfd.get(), "one");
  EXPECT_EQ(poller->TakeExited(), std::vector<std::string>{"one"});
}

TEST(ExitPollerTest, SaysNothingOfAForgottenOne) {
  auto poller = ExitPoller::Open();
  ASSERT_TRUE(poller);
  Sleeper one;
  poller->Add(one.pidfd.get(), "one");
  poller->Remove("one");
  poller->Remove("nobody");
  one.End();
  EXPECT_TRUE(poller->TakeExited().empty());
}

}  // namespace
}  // namespace viv::boxes
