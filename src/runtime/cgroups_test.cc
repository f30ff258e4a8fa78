#include "runtime/cgroups.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/text.h"
#include "runtime/cgroup_files.h"
#include "runtime/cgroup_layout.h"

namespace viv::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Sends datagrams on loopback to sockets that nobody reads, up to 256 MiB; answers the bytes that
// wait in them.
std::int64_t QueueUnreadDatagrams() {
  constexpr int kSockets = 1280;
  static char datagram[50'000];
  std::vector<int> receivers;
  int sender = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (int i = 0; i < kSockets; ++i) {
    int receiver = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (receiver < 0 || ::bind(receiver, reinterpret_cast<sockaddr*>(&address), size) != 0) break;
    ::getsockname(receiver, reinterpret_cast<sockaddr*>(&address), &size);
    for (int j = 0; j < 4; ++j)
      ::sendto(sender, datagram, sizeof datagram, 0, reinterpret_cast<sockaddr*>(&address), size);
    receivers.push_back(receiver);
  }
  std::int64_t queued = 0;
  for (int receiver : receivers) {
    ssize_t got = 0;
    while ((got = ::recv(receiver, datagram, sizeof datagram, 0)) > 0) queued += got;
  }
  return queued;
}

// A server's groups on this machine, gone after the test.
class CgroupsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "control groups need root";
    auto opened = Cgroups::Open(tag_);
    ASSERT_TRUE(opened) << opened.error().message;
    groups_ = *std::move(opened);
  }
  void TearDown() override {
    if (groups_ == nullptr) return;
    for (const std::string& name : groups_->List())
      EXPECT_TRUE(groups_->Remove(*groups_->Find(name)));
  }

  std::unique_ptr<Cgroup> Make(const std::string& name, Limits limits = {}) {
    auto made = groups_->Make(name, limits);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *std::move(made) : nullptr;
  }

  // A child that joined the group, sleeping. The caller reaps it.
  static pid_t Join(const Cgroup& group) {
    auto join = group.OpenJoinDescriptors();
    EXPECT_TRUE(join);
    int ready[2];
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    pid_t child = ::fork();
    if (child == 0) {
      bool joined = true;
      for (const UniqueFd& tasks : join->tasks_files)
        joined = joined && ::write(tasks.get(), "0", 1) == 1;
      if (join->v2_folder) {
        int file = ::openat(join->v2_folder.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC);
        joined = joined && ::write(file, "0", 1) == 1;
      }
      if (!joined || ::write(ready[1], "r", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    UniqueFd read(ready[0]), write(ready[1]);
    write = UniqueFd();
    char word = 0;
    EXPECT_EQ(::read(read.get(), &word, 1), 1);
    return child;
  }

  static bool EndedByKill(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  std::string tag_ = "test" + RandomHex(8);
  std::unique_ptr<Cgroups> groups_;
};

TEST_F(CgroupsTest, MakesFindsListsAndRemoves) {
  auto a = Make("a"), b = Make("b-2_X");
  EXPECT_THAT(groups_->List(), UnorderedElementsAre("a", "b-2_X"));
  EXPECT_TRUE(groups_->Find("a"));
  EXPECT_TRUE(groups_->Remove(std::move(a)));
  EXPECT_THAT(groups_->List(), ElementsAre("b-2_X"));
  auto gone = groups_->Find("a");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
}

TEST_F(CgroupsTest, ALaterServerWithTheTagFindsThem) {
  auto group = Make("left");
  auto later = Cgroups::Open(tag_);
  ASSERT_TRUE(later);
  EXPECT_THAT((*later)->List(), ElementsAre("left"));
}

TEST_F(CgroupsTest, LeavesItsFoldersOnlyWhileThereAreGroups) {
  auto layout = FindCgroupLayout();
  ASSERT_TRUE(layout);
  const CgroupHierarchy* memory = layout->FindV1("memory");
  std::string some = memory != nullptr ? memory->folder : layout->v2_folder;
  std::string folder = some + "/vivarium-" + tag_;
  auto group = Make("stays");
  { auto later = Cgroups::Open(tag_); }
  EXPECT_TRUE(KernelFileExists(AT_FDCWD, folder));
  EXPECT_TRUE(groups_->Remove(std::move(group)));
  groups_.reset();
  EXPECT_FALSE(KernelFileExists(AT_FDCWD, folder));
}

TEST_F(CgroupsTest, TheSameNameTwiceIsAConflict) {
  auto group = Make("a");
  auto again = groups_->Make("a", {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
}

TEST_F(CgroupsTest, RefusesNamesThatArePaths) {
  for (const char* bad : {"", ".", "..", "a/b", "../x", "a b", "a\n"}) {
    auto made = groups_->Make(bad, {});
    ASSERT_FALSE(made) << bad;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(groups_->Find(bad)) << bad;
  }
  EXPECT_FALSE(Cgroups::Open("a/b"));
}

TEST_F(CgroupsTest, ALimitThatIsNoneLeavesNothingBehind) {
  for (Limits bad : {Limits{.cpus = 0}, Limits{.memory_bytes = 0}, Limits{.processes = -1}}) {
    auto made = groups_->Make("bad", bad);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(groups_->List().empty());
}

TEST_F(CgroupsTest, ShowsItsLimitAndWhatIsUsed) {
  auto group = Make("used", {.cpus = 0.5, .memory_bytes = 64 << 20, .processes = 8});
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(*group->MemoryLimit(), 64 << 20);
  EXPECT_TRUE(group->empty());
  EXPECT_EQ(group->Read()->processes, 0);
  pid_t child = Join(*group);
  EXPECT_FALSE(group->empty());
  EXPECT_EQ(group->Read()->processes, 1);
  EXPECT_TRUE(group->Kill());
  EXPECT_TRUE(EndedByKill(child));
}

TEST_F(CgroupsTest, LimitsCanGrowAndShrink) {
  auto group = Make("sized", {.memory_bytes = 64 << 20});
  ASSERT_NE(group, nullptr);
  EXPECT_TRUE(group->SetLimits({.memory_bytes = 128 << 20}));
  EXPECT_EQ(*group->MemoryLimit(), 128 << 20);
  EXPECT_TRUE(group->SetLimits({.memory_bytes = 32 << 20}));
  EXPECT_EQ(*group->MemoryLimit(), 32 << 20);
}

// Processes of a group queue what nobody reads: on v1 a limit of its own holds that, on v2 the
// memory's.
TEST_F(CgroupsTest, WhatWaitsInSocketsIsLimited) {
  constexpr std::int64_t kMemory = 128 << 20, kSocketMemory = 16 << 20;
  auto group = Make("sockets", {.memory_bytes = kMemory});
  ASSERT_NE(group, nullptr);
  auto join = group->OpenJoinDescriptors();
  ASSERT_TRUE(join);
  int result[2];
  ASSERT_EQ(::pipe2(result, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    for (const UniqueFd& tasks : join->tasks_files)
      if (::write(tasks.get(), "0", 1) != 1) ::_exit(1);
    if (join->v2_folder) {
      int file = ::openat(join->v2_folder.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC);
      if (::write(file, "0", 1) != 1) ::_exit(1);
    }
    std::int64_t queued = QueueUnreadDatagrams();
    ::_exit(::write(result[1], &queued, sizeof queued) == sizeof queued ? 0 : 1);
  }
  UniqueFd read(result[0]), write(result[1]);
  write = UniqueFd();
  std::int64_t queued = 0;
  const bool told = ::read(read.get(), &queued, sizeof queued) == sizeof queued;
  int status = 0;
  ::waitpid(child, &status, 0);
  const bool is_v1 = FindCgroupLayout()->FindV1("memory") != nullptr;
  if (!is_v1 && !told) return;  // v2 may end the process, as for any other memory
  ASSERT_TRUE(told) << status;
  EXPECT_GT(queued, 1 << 20);
  EXPECT_LE(queued, is_v1 ? kSocketMemory : kMemory);
}

TEST_F(CgroupsTest, HoldsTheNumberOfProcesses) {
  auto group = Make("few", {.processes = 1});
  ASSERT_NE(group, nullptr);
  auto join = group->OpenJoinDescriptors();
  ASSERT_TRUE(join);
  pid_t child = ::fork();
  if (child == 0) {
    for (const UniqueFd& tasks : join->tasks_files)
      if (::write(tasks.get(), "0", 1) != 1) ::_exit(1);
    if (join->v2_folder) {
      int file = ::openat(join->v2_folder.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC);
      if (::write(file, "0", 1) != 1) ::_exit(1);
    }
    pid_t second = ::fork();
    if (second == 0) ::_exit(0);
    ::_exit(second < 0 && errno == EAGAIN ? 42 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(CgroupsTest, FreezesUntilThawed) {
  auto group = Make("cold");
  ASSERT_NE(group, nullptr);
  // A signal with a handler stays pending while frozen; one that ends a process would not.
  auto before = ::signal(SIGUSR1, [](int) { ::_exit(7); });
  pid_t child = Join(*group);
  ::signal(SIGUSR1, before);
  ASSERT_TRUE(group->Freeze());
  ASSERT_TRUE(group->Freeze()) << "a second time changes nothing";
  ::kill(child, SIGUSR1);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  ASSERT_TRUE(group->Thaw());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(CgroupsTest, KillsAlsoWhatIsFrozen) {
  auto group = Make("ice");
  ASSERT_NE(group, nullptr);
  pid_t child = Join(*group);
  ASSERT_TRUE(group->Freeze());
  ASSERT_TRUE(group->Kill());
  EXPECT_TRUE(EndedByKill(child));
}

// Where systemd looks for what belongs to a service: v2, or on v1 a hierarchy of its own.
TEST_F(CgroupsTest, TakesABoxOutOfTheServersService) {
  auto layout = FindCgroupLayout();
  ASSERT_TRUE(layout);
  auto group = Make("apart");
  ASSERT_NE(group, nullptr);
  pid_t child = Join(*group);
  auto groups = ReadKernelFile(AT_FDCWD, "/proc/" + std::to_string(child) + "/cgroup");
  ASSERT_TRUE(groups);
  for (std::string_view line : Split(Trim(*groups), '\n')) {
    const bool is_systemds = layout->v2_folder.empty()
                                 ? line.find(kSystemdHierarchy) != std::string_view::npos
                                 : line.starts_with("0::");
    if (is_systemds) {
      EXPECT_TRUE(line.ends_with("/vivarium-" + tag_ + "/apart")) << line;
    }
  }
  EXPECT_TRUE(group->Kill());
  EXPECT_TRUE(EndedByKill(child));
}

TEST_F(CgroupsTest, RemovingEndsWhatIsInside) {
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for it here
  auto group = Make("full");
  ASSERT_NE(group, nullptr);
  pid_t child = Join(*group);
  EXPECT_TRUE(groups_->Remove(std::move(group)));
  EXPECT_TRUE(groups_->List().empty());
  EXPECT_NE(::kill(child, 0), 0);
  ::signal(SIGCHLD, SIG_DFL);
}

TEST_F(CgroupsTest, RemovesWithoutWaitingOnlyWhatIsEmpty) {
  auto group = Make("lived");
  ASSERT_NE(group, nullptr);
  pid_t child = Join(*group);
  EXPECT_THAT(group->Processes(), ElementsAre(child));
  Status refused = groups_->TryRemove(*group);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(group->Kill());
  EXPECT_TRUE(EndedByKill(child));
  while (!groups_->TryRemove(*group)) ::usleep(100);
  EXPECT_TRUE(groups_->List().empty());
  EXPECT_TRUE(groups_->TryRemove(*group)) << "a second time changes nothing";
  EXPECT_TRUE(group->Processes().empty());
  EXPECT_GE(groups_->ReadDirtyBytes(), 0);
}

TEST_F(CgroupsTest, RemovingWhatIsGoneAlreadyIsNoError) {
  auto group = Make("once");
  auto same = groups_->Find("once");
  ASSERT_TRUE(same);
  EXPECT_TRUE(groups_->Remove(std::move(group)));
  EXPECT_TRUE(groups_->Remove(*std::move(same)));
}

}  // namespace
}  // namespace viv::runtime
