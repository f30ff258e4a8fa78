#include "runtime/wire.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstring>
#include <set>
#include <string>

namespace viv::runtime {
namespace {

struct WirePair {
  UniqueFd a, b;
  WirePair() {
    int pair[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    a = UniqueFd(pair[0]);
    b = UniqueFd(pair[1]);
  }
};

TEST(WireTest, CarriesBytesAndDescriptorsThatCloseOnExec) {
  WirePair wire;
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  UniqueFd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(SendPacket(wire.a.get(), "hello", 5, {null.get(), zero.get()}));
  auto packet = ReceivePacket(wire.b.get(), 16);
  ASSERT_TRUE(packet);
  EXPECT_EQ(std::memcmp(packet->bytes.data(), "hello", 5), 0);
  EXPECT_EQ(packet->bytes.size(), 5U);
  ASSERT_EQ(packet->descriptors.size(), 2U);
  struct stat ours, theirs;
  ::fstat(zero.get(), &ours);
  ::fstat(packet->descriptors[1].get(), &theirs);
  EXPECT_EQ(ours.st_rdev, theirs.st_rdev);
  EXPECT_EQ(::fcntl(packet->descriptors[0].get(), F_GETFD), FD_CLOEXEC);
}

TEST(WireTest, AGoneOtherSideIsAnErrorAndNoSignal) {
  WirePair wire;
  wire.a = UniqueFd();
  EXPECT_FALSE(ReceivePacket(wire.b.get(), 16));
  EXPECT_FALSE(SendPacket(wire.b.get(), "x", 1, {}));
}

TEST(WireTest, RefusesAPacketLongerThanItExpects) {
  WirePair wire;
  ASSERT_TRUE(SendPacket(wire.a.get(), "0123456789", 10, {}));
  EXPECT_FALSE(ReceivePacket(wire.b.get(), 9));
}

TEST(WireTest, RefusesMoreDescriptorsThanTheKernelTakes) {
  WirePair wire;
  EXPECT_FALSE(SendPacket(wire.a.get(), "x", 1, std::vector<int>(254, wire.a.get())));
}

TEST(WireTest, CarriesAsManyDescriptorsAsALaunchCanHave) {
  WirePair wire;
  std::vector<int> many(3 + 1 + kTasksFilesMax + kLayersMax, wire.a.get());
  ASSERT_TRUE(SendPacket(wire.a.get(), "x", 1, many));
  auto packet = ReceivePacket(wire.b.get(), 1);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->descriptors.size(), many.size());
}

TEST(WireTest, EveryStepHasAWordingOfItsOwn) {
  std::set<std::string> texts;
  for (auto step = 0U; step <= static_cast<unsigned>(Step::kTimedOut); ++step)
    EXPECT_TRUE(texts.insert(StepText(static_cast<Step>(step))).second) << step;
  EXPECT_FALSE(texts.contains("unknown"));
}

}  // namespace
}  // namespace viv::runtime
