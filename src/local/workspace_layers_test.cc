#include "local/workspace_layers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/unique_fd.h"
#include "boxes/box_layers.h"
#include "local/workspace_content.h"

namespace viv::local {
namespace {

namespace stdfs = std::filesystem;

class WorkspaceLayersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "layers have files of several owners: this needs root";
    char pattern[] = "/tmp/workspace_layers.XXXXXX";
    folder_ = ::mkdtemp(pattern);
    Write("viv-tools", "a program");
    options_.viv_tools = folder_ / "viv-tools";
    options_.builtin_profiles = folder_ / "builtin";
    stdfs::create_directories(folder_ / "builtin");
  }
  void TearDown() override {
    if (!folder_.empty()) stdfs::remove_all(folder_);
  }

  void Write(const std::string& path, const std::string& text) {
    stdfs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  static std::string Read(const stdfs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::unique_ptr<WorkspaceLayers> Open() {
    auto layers = WorkspaceLayers::Open(folder_ / "local", options_);
    EXPECT_TRUE(layers) << layers.error().message;
    return layers ? *std::move(layers) : nullptr;
  }
  Error OpenError() {
    auto layers = WorkspaceLayers::Open(folder_ / "local", options_);
    EXPECT_FALSE(layers);
    return layers ? Error{} : layers.error();
  }
  static stdfs::path DataOf(const WorkspaceLayers& layers, std::string_view profile) {
    return layers.Overlays(profile).at(1).layers.at(0);
  }
  std::size_t Versions() const {
    std::size_t count = 0;
    for (const auto& entry : stdfs::directory_iterator(folder_ / "local/trees"))
      count += entry.is_directory() ? 1 : 0;
    return count;
  }

  stdfs::path folder_;
  WorkspaceLayers::Options options_;
};

TEST_F(WorkspaceLayersTest, HaveTheProgramAndAWorkspaceThatBelongsToTheUser) {
  auto layers = Open();
  std::vector<storage::OverlayMount> overlays = layers->Overlays("");
  ASSERT_EQ(overlays.size(), 2U);
  EXPECT_EQ(overlays[0].mount_point, "");
  EXPECT_EQ(Read(overlays[0].layers.at(0) + "/opt/vivarium/viv-tools"), "a program");
  struct stat status;
  ASSERT_EQ(::stat((overlays[0].layers[0] + "/opt/vivarium/viv-tools").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_EQ(status.st_uid, 0U) << "the box's user must not change it";
  EXPECT_TRUE(stdfs::is_directory(overlays[0].layers[0] + "/data"));
  EXPECT_EQ(overlays[1].mount_point, "data");
  ASSERT_EQ(::stat(overlays[1].layers.at(0).c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1000U);
  EXPECT_EQ(status.st_gid, 1000U);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_TRUE(stdfs::is_empty(overlays[1].layers[0]));
  EXPECT_EQ(layers->Overlays("no such profile"), overlays);
}

TEST_F(WorkspaceLayersTest, ProfilesHaveTheirContentWithModesAndTimes) {
  Write("builtin/MCP_Atlas/a/run.sh", "echo hello");
  ::chmod((folder_ / "builtin/MCP_Atlas/a/run.sh").c_str(), 06755);
  stdfs::create_symlink("a/run.sh", folder_ / "builtin/MCP_Atlas/link");
  stdfs::create_symlink("/data/a", folder_ / "builtin/MCP_Atlas/inside");
  const timespec times[2] = {{1'700'000'000, 0}, {1'700'000'000, 0}};
  ::utimensat(AT_FDCWD, (folder_ / "builtin/MCP_Atlas/a/run.sh").c_str(), times, 0);
  ::utimensat(AT_FDCWD, (folder_ / "builtin/MCP_Atlas/a").c_str(), times, 0);
  auto layers = Open();
  const stdfs::path data = DataOf(*layers, "MCP_Atlas");
  EXPECT_EQ(Read(data / "a/run.sh"), "echo hello");
  EXPECT_EQ(stdfs::read_symlink(data / "link"), "a/run.sh");
  for (const char* name : {"a", "a/run.sh", "link", "inside"}) {
    struct stat status;
    ASSERT_EQ(::lstat((data / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_uid, 1000U) << name;
    if (S_ISLNK(status.st_mode)) continue;
    EXPECT_EQ(status.st_mtim.tv_sec, 1'700'000'000) << name;
    EXPECT_EQ(status.st_mode & 07777, 0755U) << name << " has no setuid bits";
  }
  EXPECT_TRUE(stdfs::is_empty(DataOf(*layers, "Toolathlon")));
  EXPECT_EQ(DataOf(*layers, "Toolathlon"), DataOf(*layers, "")) << "equal content is one layer";
}

TEST_F(WorkspaceLayersTest, TheOperatorsFolderTakesTheBuiltInOnesPlace) {
  Write("builtin/MCP_Atlas/ours.txt", "ours");
  Write("operator/MCP_Atlas/theirs.txt", "theirs");
  Write("operator/default/always.txt", "always");
  options_.operator_data = folder_ / "operator";
  auto layers = Open();
  EXPECT_FALSE(stdfs::exists(DataOf(*layers, "MCP_Atlas") / "ours.txt"));
  EXPECT_EQ(Read(DataOf(*layers, "MCP_Atlas") / "theirs.txt"), "theirs");
  EXPECT_EQ(Read(DataOf(*layers, "") / "always.txt"), "always");
  options_.operator_data = folder_ / "missing";
  EXPECT_EQ(OpenError().code, ErrorCode::kInvalidArgument);
}

TEST_F(WorkspaceLayersTest, ANewVersionStandsBesideTheOldUntilNobodyUsesIt) {
  auto before = Open();
  EXPECT_EQ(Open()->Overlays(""), before->Overlays("")) << "nothing changed";
  Write("viv-tools", "a newer program");
  Write("builtin/default/new.txt", "new");
  auto after = Open();
  EXPECT_NE(after->Overlays("")[0], before->Overlays("")[0]);
  EXPECT_NE(after->Overlays("")[1], before->Overlays("")[1]);
  EXPECT_EQ(Read(before->Overlays("")[0].layers[0] + "/opt/vivarium/viv-tools"), "a program");
  EXPECT_EQ(Versions(), 4U);  // the two programs, the empty workspace and the one with new.txt

  const std::string used = before->Overlays("")[0].layers[0];
  std::size_t asked = 0;
  after->Clean([&](const std::string& folder) {
    ++asked;
    return used.starts_with(folder);
  });
  EXPECT_EQ(asked, 1U) << "the empty workspace is still that of other profiles";
  EXPECT_TRUE(stdfs::exists(used));
  after->Clean([](const std::string&) { return false; });
  EXPECT_FALSE(stdfs::exists(used));
  EXPECT_EQ(Versions(), 3U);
}

TEST_F(WorkspaceLayersTest, WhatAKilledServerLeftHalfMadeGoes) {
  Write("local/trees/.part-data-0123/layer/half.txt", "half");
  Open();
  EXPECT_FALSE(stdfs::exists(folder_ / "local/trees/.part-data-0123"));
}

TEST_F(WorkspaceLayersTest, SnapshotsHoldThemAsTheyHoldTemplates) {
  auto layers = Open();
  std::set<std::string> folders = boxes::TemplateFoldersIn(layers->Overlays(""));
  EXPECT_EQ(folders.size(), 2U);
  for (const std::string& folder : folders) EXPECT_TRUE(stdfs::exists(folder + "/layer")) << folder;
}

TEST_F(WorkspaceLayersTest, NamesAProgramThatIsNotThere) {
  options_.viv_tools = folder_ / "nowhere";
  Error error = OpenError();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_NE(error.message.find("nowhere"), std::string::npos) << error.message;
  options_.viv_tools = folder_;
  EXPECT_EQ(OpenError().code, ErrorCode::kUnavailable);
}

class BadContentTest : public WorkspaceLayersTest {
 protected:
  void SetUp() override {
    WorkspaceLayersTest::SetUp();
    if (IsSkipped()) return;
    Write("builtin/MCP_Atlas/fine.txt", "fine");
    place_ = folder_ / "builtin/MCP_Atlas/sub";
    stdfs::create_directories(place_);
  }
  void ExpectRefused(const std::string& name) {
    Error error = OpenError();
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    EXPECT_NE(error.message.find(name), std::string::npos) << error.message;
    for (const auto& entry : stdfs::directory_iterator(folder_ / "local/trees"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".part-")) << entry.path();
  }

  stdfs::path place_;
};

TEST_F(BadContentTest, RefusesLinksThatLeadOut) {
  for (const char* target : {"/etc/passwd", "../../x", "/data/../etc", "/database", "/",
                             "a/../../../b", "/data/x/../.."}) {
    stdfs::create_symlink(target, place_ / "out");
    ExpectRefused("sub/out");
    stdfs::remove(place_ / "out");
  }
  for (const char* target : {"../x", ".", "..", "/data", "/data/", "a/../b", "nowhere"}) {
    stdfs::create_symlink(target, place_ / "in");
    EXPECT_TRUE(Open()) << target;
    stdfs::remove(place_ / "in");
  }
}

TEST_F(BadContentTest, RefusesPipesDevicesAndSockets) {
  ASSERT_EQ(::mkfifo((place_ / "pipe").c_str(), 0644), 0);
  ExpectRefused("sub/pipe");
  stdfs::remove(place_ / "pipe");
  if (::mknod((place_ / "whiteout").c_str(), S_IFCHR, 0) == 0) {
    ExpectRefused("sub/whiteout");
    stdfs::remove(place_ / "whiteout");
  }
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (place_ / "socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ExpectRefused("sub/socket");
}

TEST_F(BadContentTest, RefusesWhatLiesTooDeepOrIsTooMuch) {
  stdfs::path deep = place_;
  for (int i = 0; i < 70; ++i) deep /= "d";
  stdfs::create_directories(deep);
  ExpectRefused("d/d/d");
  stdfs::remove_all(place_ / "d");
  Write("builtin/MCP_Atlas/sub/huge", "");
  ASSERT_EQ(::truncate((place_ / "huge").c_str(), (16LL << 30) + 1), 0);
  ExpectRefused("sub/huge");
}

constexpr char kHistory[] =
    "commit refs/heads/main\n"
    "author Ada <ada@example.com> 1700000000 +0100\n"
    "committer Ada <ada@example.com> 1700000000 +0100\n"
    "data <<END\nBegin\nEND\n"
    "M 100644 inline src/a.txt\n"
    "data <<END\nhello\nEND\n";

TEST_F(WorkspaceLayersTest, AHistoryBecomesARepositoryOfTheUsers) {
  ASSERT_TRUE(CanMakeRepositories()) << "git is missing: apt-get install git";
  Write("builtin/MCP_Atlas/repos/app.fast-import", kHistory);
  auto layers = Open();
  const stdfs::path repository = DataOf(*layers, "MCP_Atlas") / "repos/app";
  EXPECT_FALSE(stdfs::exists(repository.parent_path() / "app.fast-import"));
  EXPECT_EQ(Read(repository / "src/a.txt"), "hello\n");
  EXPECT_EQ(Read(repository / ".git/HEAD"), "ref: refs/heads/main\n");
  for (const auto& entry : stdfs::recursive_directory_iterator(repository)) {
    struct stat status;
    ASSERT_EQ(::lstat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 1000U) << entry.path();
  }
  const std::string commit = Read(repository / ".git/refs/heads/main");
  EXPECT_EQ(commit.size(), 41U);
  stdfs::remove_all(folder_ / "local");
  EXPECT_EQ(Read(DataOf(*Open(), "MCP_Atlas") / "repos/app/.git/refs/heads/main"), commit)
      << "the same history has the same commits";
}

TEST_F(BadContentTest, RefusesAHistoryThatIsNoneOrLeadsOut) {
  ASSERT_TRUE(CanMakeRepositories()) << "git is missing: apt-get install git";
  Write("builtin/MCP_Atlas/sub/bad.fast-import", "nonsense\n");
  EXPECT_NE(OpenError().message.find("sub/bad.fast-import"), std::string::npos);
  Write("builtin/MCP_Atlas/sub/bad.fast-import",
        std::string("feature export-marks=") + (folder_ / "marks").string() + "\n" + kHistory);
  EXPECT_NE(OpenError().message.find("sub/bad.fast-import"), std::string::npos);
  EXPECT_FALSE(stdfs::exists(folder_ / "marks"));
  Write("builtin/MCP_Atlas/sub/bad.fast-import",
        std::string(kHistory) + "M 120000 inline out\ndata <<END\n/etc/passwd\nEND\n");
  Error error = OpenError();
  EXPECT_NE(error.message.find("leads out"), std::string::npos) << error.message;
  Write("builtin/MCP_Atlas/sub/bad.fast-import", kHistory);
  stdfs::create_directories(place_ / "bad");
  ExpectRefused("sub/bad");
}

TEST(WorkspaceProfileTest, KnowsTheBenchmarks) {
  for (const char* name : {"", "MCP_Atlas", "Toolathlon", "MCP_Mark"}) EXPECT_TRUE(IsProfile(name));
  for (const char* name : {"mcp_atlas", "default", "MCP_Atlas/", ".."})
    EXPECT_FALSE(IsProfile(name));
}

}  // namespace
}  // namespace viv::local
