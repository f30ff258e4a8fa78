#include "tools/localmemory/localmemory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/ids.h"

namespace viv::tools {
namespace {

class LocalMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("viv-memory-" + RandomHex(12));
    std::filesystem::create_directories(root_);
    server_ = Make("Toolathlon");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::unique_ptr<ToolServer> Make(std::string profile) {
    return MakeLocalMemory(
        tools::ToolServerOptions{.workspace = root_.string(), .profile = std::move(profile)});
  }
  void Put(const std::filesystem::path& name, std::string_view bytes) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }
  std::string Get(const std::filesystem::path& name) {
    std::ifstream file(root_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // What a call says; a failure of the call with its code before it.
  static std::string Says(ToolServer& server, std::string_view tool, json::object arguments) {
    const std::atomic<bool> cancelled{false};
    const auto result = server.Call(tool, std::move(arguments), CallContext{cancelled, {}});
    if (!result) return std::to_string(result.error().code) + " " + result.error().message;
    return std::string(result->content.at(0).at("text").get_string());
  }
  std::string Says(std::string_view tool, json::object arguments) {
    return Says(*server_, tool, std::move(arguments));
  }
  static json::array Entity(const std::string& name) {
    return {{{"name", name}, {"entityType", "t"}, {"observations", json::array()}}};
  }

  const std::string file_ = "memory/memory.json";
  std::filesystem::path root_;
  std::unique_ptr<ToolServer> server_;
};

constexpr std::string_view kEmptyGraph = "{\n  \"entities\": [],\n  \"relations\": []\n}";

TEST_F(LocalMemoryTest, EveryToolHasAHandler) {
  EXPECT_TRUE(server_->Unbound().empty());
}

TEST_F(LocalMemoryTest, MakesItsFileOnTheFirstChangeOnly) {
  EXPECT_EQ(Says("read_graph", {}), kEmptyGraph);
  EXPECT_FALSE(std::filesystem::exists(root_ / "memory"));
  EXPECT_EQ(
      Says("create_entities", {{"entities", Entity("A")}}),
      "[\n  {\n    \"name\": \"A\",\n    \"entityType\": \"t\",\n    \"observations\": []\n  }\n]");
  EXPECT_EQ(Get(file_), R"({"type":"entity","name":"A","entityType":"t","observations":[]})");
  EXPECT_EQ(Says("delete_entities", {{"entityNames", {"A"}}}), "Entities deleted successfully");
  EXPECT_EQ(Get(file_), "");
}

TEST_F(LocalMemoryTest, EachBenchmarkHasItsPlace) {
  const auto atlas = Make("MCP_Atlas");
  Says(*atlas, "create_entities", {{"entities", Entity("A")}});
  EXPECT_TRUE(std::filesystem::exists(root_ / "repos/memory_mcp_server/memories-for-mcp.json"));
  const auto plain = Make("");
  Says(*plain, "create_entities", {{"entities", Entity("A")}});
  EXPECT_TRUE(std::filesystem::exists(root_ / file_));
}

TEST_F(LocalMemoryTest, ReadsTheFileAnewForEveryCall) {
  Put(file_, R"({"type":"entity","name":"X","entityType":"t","observations":["o"]})");
  EXPECT_NE(Says("open_nodes", {{"names", {"X"}}}), kEmptyGraph);
  Put(file_, "");
  EXPECT_EQ(Says("open_nodes", {{"names", {"X"}}}), kEmptyGraph);
}

TEST_F(LocalMemoryTest, ABrokenFileIsReportedAndLeftAlone) {
  const std::string broken = "{\"type\":\"entity\",\"name\":\"X\"}\nnot json\n";
  Put(file_, broken);
  for (const std::string& said :
       {Says("read_graph", {}), Says("create_entities", {{"entities", Entity("A")}}),
        Says("delete_entities", {{"entityNames", {"X"}}})}) {
    EXPECT_TRUE(said.starts_with("-32603 Cannot read the memory file " + (root_ / file_).string() +
                                 ": line 2 is not a JSON object"))
        << said;
  }
  EXPECT_EQ(Get(file_), broken);
}

TEST_F(LocalMemoryTest, AGraphTooLargeForAMessageIsGivenInParts) {
  Put(file_, R"({"type":"entity","name":"N","entityType":"t","observations":[")" +
                 std::string(31 << 20, 'a') + "\"]}\n" +
                 R"({"type":"entity","name":"B","entityType":"t","observations":[]})");
  EXPECT_TRUE(Says("read_graph", {}).starts_with("-32603 The graph is too large to give at once"));
  EXPECT_FALSE(Says("open_nodes", {{"names", {"B"}}}).starts_with("-"));
}

TEST_F(LocalMemoryTest, AFailedChangeWritesNothing) {
  Says("create_entities", {{"entities", Entity("A")}});
  const std::string before = Get(file_);
  json::array observations{{{"entityName", "A"}, {"contents", {"o"}}},
                           {{"entityName", "No"}, {"contents", {"o"}}}};
  EXPECT_EQ(Says("add_observations", {{"observations", observations}}),
            "-32603 Entity with name No not found");
  EXPECT_EQ(Get(file_), before);
}

TEST_F(LocalMemoryTest, RefusesWrongArgumentsAndUnknownTools) {
  EXPECT_EQ(Says("create_entities", {}),
            "-32603 Invalid arguments for create_entities: 'entities' is a required property");
  EXPECT_EQ(Says("create_entities", {{"entities", {{{"name", "A"}}}}}).substr(0, 50),
            "-32603 Invalid arguments for create_entities: 'ent");
  EXPECT_TRUE(Says("search_nodes", {{"query", 5}}).starts_with("-32603 Invalid arguments"));
  EXPECT_EQ(Says("nope", {}), "-32603 Unknown tool: nope");
}

TEST_F(LocalMemoryTest, DoesNotFollowItsFileOutOfTheWorkspace) {
  std::filesystem::create_directories(root_ / "memory");
  std::filesystem::create_symlink("/etc/passwd", root_ / file_);
  EXPECT_TRUE(Says("read_graph", {}).starts_with("-32603 Cannot read the memory file"));
  EXPECT_TRUE(Says("create_entities", {{"entities", Entity("A")}}).starts_with("-32603 Cannot"));
  std::filesystem::remove_all(root_ / "memory");
  std::filesystem::create_symlink("/tmp", root_ / "memory");
  EXPECT_TRUE(Says("create_entities", {{"entities", Entity("A")}}).starts_with("-32603 Cannot"));
  EXPECT_FALSE(std::filesystem::exists("/tmp/memory.json"));
}

TEST_F(LocalMemoryTest, RefusesAPipeInPlaceOfItsFile) {
  std::filesystem::create_directories(root_ / "memory");
  ASSERT_EQ(::mkfifo((root_ / file_).c_str(), 0600), 0);
  EXPECT_TRUE(Says("read_graph", {}).ends_with("it is not a regular file"));
}

TEST_F(LocalMemoryTest, ChangesFromSeveralServersAreAllKept) {
  constexpr int kServers = 4, kEach = 10;
  std::vector<std::thread> threads;
  for (int s = 0; s < kServers; ++s) {
    threads.emplace_back([this, s] {
      const auto server = Make("");
      for (int i = 0; i < kEach; ++i) {
        const json::array one = Entity("e" + std::to_string(s) + "-" + std::to_string(i));
        const std::string said = Says(*server, "create_entities", {{"entities", one}});
        EXPECT_FALSE(said.starts_with("-")) << said;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = Get(file_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1, kServers * kEach);
}

}  // namespace
}  // namespace viv::tools
