#include "runtime/clone_request.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/launcher.h"

namespace viv::runtime {
namespace {

WireRequest GoodWire() {
  WireRequest wire;
  wire.slot = 3;
  wire.has_v2_cgroup = 1;
  wire.tasks_count = 2;
  wire.overlay_count = 2;
  wire.shm_bytes = 1 << 20;
  std::strcpy(wire.hostname, "e2b.local");
  wire.overlays[0].layer_count = 2;
  std::strcpy(wire.overlays[1].mount_point, "usr");
  wire.overlays[1].layer_count = 1;
  return wire;
}

Packet PacketOf(const WireRequest& wire, std::size_t descriptors) {
  Packet packet;
  packet.bytes.resize(sizeof wire);
  std::memcpy(packet.bytes.data(), &wire, sizeof wire);
  for (std::size_t i = 0; i < descriptors; ++i)
    packet.descriptors.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return packet;
}

constexpr std::size_t kGoodDescriptors = 3 + 1 + 2 + 3;

bool Reads(const WireRequest& wire) {
  return ReadCloneRequest(PacketOf(wire, kGoodDescriptors)).has_value();
}

TEST(CloneRequestTest, GivesEachDescriptorItsPlaceInTheOrderOfTheWire) {
  Packet packet = PacketOf(GoodWire(), kGoodDescriptors);
  std::vector<int> numbers;
  for (const UniqueFd& fd : packet.descriptors) numbers.push_back(fd.get());
  auto request = ReadCloneRequest(std::move(packet));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->slot, 3U);
  EXPECT_EQ(request->hostname, "e2b.local");
  EXPECT_EQ(request->listener.get(), numbers[0]);
  EXPECT_EQ(request->network.get(), numbers[1]);
  EXPECT_EQ(request->folder.get(), numbers[2]);
  EXPECT_EQ(request->v2_cgroup.get(), numbers[3]);
  ASSERT_EQ(request->tasks_files.size(), 2U);
  EXPECT_EQ(request->tasks_files[1].get(), numbers[5]);
  ASSERT_EQ(request->layers.size(), 3U);
  EXPECT_EQ(request->layers[0].get(), numbers[6]);
  ASSERT_EQ(request->overlays.size(), 2U);
  EXPECT_EQ(request->overlays[1].mount_point, "usr");
}

TEST(CloneRequestTest, RefusesAnotherNumberOfDescriptorsThanItCounts) {
  EXPECT_FALSE(ReadCloneRequest(PacketOf(GoodWire(), kGoodDescriptors - 1)));
  EXPECT_FALSE(ReadCloneRequest(PacketOf(GoodWire(), kGoodDescriptors + 1)));
}

TEST(CloneRequestTest, RefusesAPacketOfAnotherSize) {
  Packet packet = PacketOf(GoodWire(), kGoodDescriptors);
  packet.bytes.pop_back();
  EXPECT_FALSE(ReadCloneRequest(std::move(packet)));
}

TEST(CloneRequestTest, RefusesWhatIsOutOfRange) {
  EXPECT_TRUE(Reads(GoodWire()));
  WireRequest wire = GoodWire();
  wire.slot = kSlotsMax;
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  wire.shm_bytes = 0;
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  wire.overlay_count = 0;
  EXPECT_FALSE(Reads(wire));
  wire.overlay_count = kOverlaysMax + 1;
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  wire.overlays[1].layer_count = 0;
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  wire.has_v2_cgroup = 2;
  EXPECT_FALSE(Reads(wire));
}

TEST(CloneRequestTest, RefusesTextWithoutAnEnd) {
  WireRequest wire = GoodWire();
  std::memset(wire.hostname, 'a', sizeof wire.hostname);
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  std::memset(wire.overlays[1].mount_point, 'a', sizeof wire.overlays[1].mount_point);
  EXPECT_FALSE(Reads(wire));
}

TEST(CloneRequestTest, TheFirstOverlayIsTheRootAndNoOtherIs) {
  WireRequest wire = GoodWire();
  std::strcpy(wire.overlays[0].mount_point, "opt");
  EXPECT_FALSE(Reads(wire));
  wire = GoodWire();
  wire.overlays[1].mount_point[0] = '\0';
  EXPECT_FALSE(Reads(wire));
}

TEST(CloneRequestTest, AMountPointIsOnePlainNameThatContainmentDoesNotFill) {
  for (const char* good : {"usr", "opt", "lib64", "my_data", "a.b"})
    EXPECT_TRUE(IsOverlayMountPoint(good)) << good;
  for (const char* bad : {"", ".", "..", ".x", "a/b", "/usr", "proc", "dev", "sys", "a,b", "a:b",
                          "a\\b", "a b", "a\nb"})
    EXPECT_FALSE(IsOverlayMountPoint(bad)) << bad;
  EXPECT_FALSE(IsOverlayMountPoint(std::string(kNameBytes, 'a')));
}

TEST(CloneRequestTest, AHostNameHasNoBytesThatAreNone) {
  EXPECT_TRUE(IsHostname("e2b.local"));
  for (const char* bad : {"", "-a", ".a", "a b", "a_b", "a/b", "ä"}) EXPECT_FALSE(IsHostname(bad));
}

TEST(CloneRequestTest, ForgettingLeavesDescriptorsOpen) {
  auto request = ReadCloneRequest(PacketOf(GoodWire(), kGoodDescriptors));
  ASSERT_TRUE(request);
  std::vector<UniqueFd> ours;
  for (int number : {request->listener.get(), request->network.get(), request->folder.get(),
                     request->v2_cgroup.get()})
    ours.emplace_back(number);
  for (const UniqueFd& fd : request->tasks_files) ours.emplace_back(fd.get());
  for (const UniqueFd& fd : request->layers) ours.emplace_back(fd.get());
  ReleaseDescriptors(*request);
  request.reset();
  for (const UniqueFd& fd : ours) EXPECT_GE(::fcntl(fd.get(), F_GETFD), 0);
}

TEST(CloneRequestTest, AnOverlayNamesItsLayersTopmostFirstAndNoPathOfTheHost) {
  std::string options = OverlayOptions({"usr", 2}, 3);
  EXPECT_TRUE(
      options.starts_with("lowerdir=/layers/3:/layers/4,upperdir=/folder/usr/upper,"
                          "workdir=/folder/usr/work,"));
  EXPECT_TRUE(OverlayOptions({"", 1}, 0)
                  .starts_with(
                      "lowerdir=/layers/0,upperdir=/folder/root/upper,workdir=/folder/root/work,"));
}

TEST(CloneRequestTest, OptionsOfTheMostLayersFitTheKernelsPage) {
  EXPECT_LT(OverlayOptions({"usr", kLayersMax}, 0).size(), 4096U);
}

}  // namespace
}  // namespace viv::runtime
