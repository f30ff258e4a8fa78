#include "runtime/launch_packet.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runtime/clone_request.h"
#include "runtime/spawner_process.h"

namespace viv::runtime {
namespace {

namespace fs = std::filesystem;

class LaunchCgroup : public Cgroup {
 public:
  const std::string& name() const override { return name_; }
  Result<JoinDescriptors> OpenJoinDescriptors() const override {
    JoinDescriptors join;
    join.tasks_files.emplace_back(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    join.v2_folder = UniqueFd(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return join;
  }
  Status SetLimits(const Limits&) override { return {}; }
  Result<std::int64_t> MemoryLimit() const override { return 64LL << 20; }
  Result<Usage> Read() const override { return Usage{}; }
  Status Freeze() override { return {}; }
  Status Thaw() override { return {}; }
  Status Kill() override { return {}; }
  bool empty() const override { return true; }
  std::vector<pid_t> Processes() const override { return {}; }

 private:
  std::string name_ = "launch";
};

class LaunchPacketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "detached mounts need root";
    char pattern[] = "/tmp/launch_packet.XXXXXX";
    folder_ = ::mkdtemp(pattern);
    fs::create_directories(folder_ / "layer");
    fs::create_directories(folder_ / "box");
    request_.slot = 5;
    request_.overlays = {{"", {folder_ / "layer"}}, {"usr", {folder_ / "layer", "/usr"}}};
    request_.folder = folder_ / "box";
    request_.hostname = "e2b.local";
    request_.network = null_.get();
    request_.listener = null_.get();
    request_.cgroup = &cgroup_;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  ErrorCode CodeOf() {
    auto packet = PrepareLaunch(request_);
    EXPECT_FALSE(packet);
    return packet ? ErrorCode::kInternal : packet.error().code;
  }

  fs::path folder_;
  UniqueFd null_{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  LaunchCgroup cgroup_;
  BoxLaunchRequest request_;
};

TEST_F(LaunchPacketTest, IsReadByTheSpawnerAsItWasMeant) {
  auto packet = PrepareLaunch(request_);
  ASSERT_TRUE(packet) << packet.error().message;
  Packet wire;
  wire.bytes.resize(sizeof packet->wire);
  std::memcpy(wire.bytes.data(), &packet->wire, sizeof packet->wire);
  for (int fd : packet->descriptors) wire.descriptors.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  auto request = ReadCloneRequest(std::move(wire));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->slot, 5U);
  EXPECT_EQ(request->hostname, "e2b.local");
  EXPECT_EQ(request->overlays.size(), 2U);
  EXPECT_EQ(request->overlays[1].layer_count, 2U);
  EXPECT_EQ(request->layers.size(), 3U);
  EXPECT_EQ(request->tasks_files.size(), 1U);
  EXPECT_TRUE(request->v2_cgroup);
}

TEST_F(LaunchPacketTest, MakesTheFoldersOfEachOverlay) {
  ASSERT_TRUE(PrepareLaunch(request_));
  for (const char* made : {"root/upper", "root/work", "usr/upper", "usr/work"}) {
    struct stat status;
    ASSERT_EQ(::stat((folder_ / "box" / made).c_str(), &status), 0) << made;
    EXPECT_EQ(status.st_mode & 07777, 0755U) << made;
  }
  EXPECT_TRUE(PrepareLaunch(request_)) << "those of an earlier start will do";
}

TEST_F(LaunchPacketTest, AnOverlayBelongsToWhomItsTopmostLayerBelongs) {
  fs::create_directories(folder_ / "workspace");
  ASSERT_EQ(::chown((folder_ / "workspace").c_str(), 1000, 1001), 0);
  ASSERT_EQ(::chmod((folder_ / "workspace").c_str(), 0750), 0);
  request_.overlays.push_back({"data", {folder_ / "workspace", folder_ / "layer"}});
  ASSERT_TRUE(PrepareLaunch(request_));
  struct stat status;
  ASSERT_EQ(::stat((folder_ / "box/data/upper").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1000U);
  EXPECT_EQ(status.st_gid, 1001U);
  EXPECT_EQ(status.st_mode & 07777, 0750U);
  ASSERT_EQ(::chmod((folder_ / "box/data/upper").c_str(), 0700), 0);
  ASSERT_TRUE(PrepareLaunch(request_));
  ASSERT_EQ(::stat((folder_ / "box/data/upper").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U) << "what the box made of it stays";
}

TEST_F(LaunchPacketTest, TakesAwayTheMarkOfAVolatileOverlay) {
  const fs::path mark = folder_ / "box/root/work" / "work" / "incompat";
  fs::create_directories(mark / "volatile");
  UniqueFd dirty(::open((mark / "volatile" / "dirty").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0));
  ASSERT_TRUE(dirty);
  ASSERT_TRUE(PrepareLaunch(request_));
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(LaunchPacketTest, SharedMemoryIsHalfOfTheBoxesUnlessSaid) {
  EXPECT_EQ(PrepareLaunch(request_)->wire.shm_bytes, 32LL << 20);
  request_.shm_bytes = 4096;
  EXPECT_EQ(PrepareLaunch(request_)->wire.shm_bytes, 4096);
}

TEST_F(LaunchPacketTest, RefusesWhatNoBoxCanBe) {
  BoxLaunchRequest good = request_;
  request_.slot = kSlotsMax;
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.hostname = "a b";
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.network = -1;
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.cgroup = nullptr;
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.shm_bytes = -1;
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.folder = "box";
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
}

TEST_F(LaunchPacketTest, RefusesOverlaysOutOfOrder) {
  BoxLaunchRequest good = request_;
  request_.overlays.clear();
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  std::swap(request_.overlays[0], request_.overlays[1]);
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.overlays[1].mount_point = "../etc";
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.overlays[1].layers.clear();
  EXPECT_EQ(CodeOf(), ErrorCode::kInvalidArgument);
  request_ = good;
  request_.overlays[1].layers.assign(kLayersMax, "/usr");
  EXPECT_EQ(CodeOf(), ErrorCode::kLimitExceeded);
}

TEST_F(LaunchPacketTest, NamesALayerThatIsNotThere) {
  request_.overlays[1].layers[0] = "/no/such/layer";
  auto packet = PrepareLaunch(request_);
  ASSERT_FALSE(packet);
  EXPECT_NE(packet.error().message.find("/no/such/layer"), std::string::npos);
}

TEST(StepErrorTest, NamesTheStepTheReasonAndTheRemedy) {
  Error error = StepError(Step::kLayers, EINVAL);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_NE(error.message.find("map the owners of its layers: Invalid argument; keep"),
            std::string::npos);
  EXPECT_EQ(StepError(Step::kSession, EIO).message, "start a session: Input/output error");
}

TEST(SpawnerProcessTest, SaysWhatIsWrongWithAProgramThatIsNotThere) {
  std::vector<sock_filter> filter(1);
  auto spawner = SpawnerProcess::Start({.program = "/no/such/viv-agent", .filter = filter});
  ASSERT_FALSE(spawner);
  EXPECT_EQ(spawner.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(spawner.error().message.find("/no/such/viv-agent"), std::string::npos);
}

TEST(SpawnerProcessTest, AProgramThatEndsAtOnceIsAnErrorAndNoHang) {
  std::vector<sock_filter> filter(1);
  EXPECT_FALSE(SpawnerProcess::Start({.program = "/bin/true", .filter = filter}));
}

}  // namespace
}  // namespace viv::runtime
