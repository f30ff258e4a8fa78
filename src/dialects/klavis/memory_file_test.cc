#include "dialects/klavis/memory_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::klavis {
namespace {

using ::testing::StartsWith;

TEST(MemoryFileTest, TakesEntitiesAndRelations) {
  EXPECT_TRUE(CheckMemoryLines(""));
  EXPECT_TRUE(
      CheckMemoryLines(R"({"type":"entity","name":"a","entityType":"t","observations":["x"]})"
                       "\n\n"
                       R"({"type":"relation","from":"a","to":"b","relationType":"r"})"
                       "\r\n"));
}

TEST(MemoryFileTest, NamesTheFirstLineThatIsNeither) {
  const std::string good = R"({"type":"entity","name":"a","entityType":"t","observations":[]})";
  for (const char* bad :
       {"hello", "[]", "{}", R"({"type":"entity","name":"a"})", R"({"type":"other"})",
        R"({"type":"entity","name":1,"entityType":"t","observations":[]})",
        R"({"type":"entity","name":"a","entityType":"t","observations":[1]})",
        R"({"type":"relation","from":"a","to":"b"})", "{\"type\":"}) {
    const Status checked = CheckMemoryLines(good + "\n" + bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_THAT(checked.error().message, StartsWith("line 2 "));
  }
}

TEST(MemoryFileTest, LiesWhereTheBenchmarkWantsIt) {
  EXPECT_EQ(MemoryFileOf("MCP_Atlas"), "/data/repos/memory_mcp_server/memories-for-mcp.json");
  EXPECT_EQ(MemoryFileOf("Toolathlon"), "/data/memory/memory.json");
  EXPECT_EQ(MemoryFileOf(""), "/data/memory/memory.json");
}

}  // namespace
}  // namespace viv::klavis
