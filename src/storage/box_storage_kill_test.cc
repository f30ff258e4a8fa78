#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "storage/scratch_for_test.h"

namespace viv::storage {
namespace {

constexpr std::int64_t kKillTestRoom = 16LL << 20;

StorageOptions KillTestOptions(const std::string& folder) {
  return {.directory = folder, .image_bytes = 512LL << 20, .accept_no_limit = true};
}

// What a server does until it is killed: a box, a snapshot that was acknowledged, a removal.
[[noreturn]] void ServeAndDie(const std::string& folder) {
  auto storage = BoxStorage::Open(KillTestOptions(folder));
  if (!storage) _exit(1);
  const auto box = (*storage)->Make("box1", kKillTestRoom);
  if (!box) _exit(2);
  WriteText(*box + "/file", "sealed");
  if (!(*storage)->MakeLayer("box1", "layer1")) _exit(3);
  if (!(*storage)->Make("box2", kKillTestRoom) || !(*storage)->Remove("box2")) _exit(4);
  kill(getpid(), SIGKILL);
  _exit(5);
}

TEST(BoxStorageKillTest, WhatWasAcknowledgedSurvivesAKilledServer) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting an image needs root";
  const ScratchFolder scratch;
  const pid_t child = fork();
  if (child == 0) ServeAndDie(scratch.path);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "step " << WEXITSTATUS(status);

  auto storage = *BoxStorage::Open(KillTestOptions(scratch.path));
  EXPECT_EQ(ReadText(*storage->FindLayer("layer1") + "/file"), "sealed");
  EXPECT_EQ(storage->List(), std::vector<std::string>{"box1"});
  const std::string boxes = storage->has_limits() ? "/mnt/boxes" : "/folder/boxes";
  EXPECT_TRUE(ComesToHoldNothingGone(scratch.path + boxes));
  EXPECT_TRUE(storage->Unmount());
  EXPECT_FALSE(LoopsStayOf(scratch.path));
}

}  // namespace
}  // namespace viv::storage
