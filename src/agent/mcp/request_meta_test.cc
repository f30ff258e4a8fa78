#include "agent/mcp/request_meta.h"

#include <gtest/gtest.h>

#include "base/version.h"

namespace viv::agent {
namespace {

const std::string kRequestMeta =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"vivarium","version":")" +
    std::string(Version()) +
    R"("},)"
    R"("io.modelcontextprotocol/clientCapabilities":{})";

TEST(RequestMetaTest, AddsWhatIsMissing) {
  EXPECT_EQ(WithRequestMeta(""), R"({"_meta":{)" + kRequestMeta + "}}");
  EXPECT_EQ(WithRequestMeta(R"({"n":1.00})"), R"({"_meta":{)" + kRequestMeta + R"(},"n":1.00})");
  EXPECT_EQ(WithRequestMeta(R"({"_meta":{"progressToken":7}})"),
            R"({"_meta":{)" + kRequestMeta + R"(,"progressToken":7}})");
  const std::string whole = R"({"_meta":{)" + kRequestMeta + "}}";
  EXPECT_EQ(WithRequestMeta(whole), whole);
  EXPECT_EQ(WithRequestMeta(R"({"_meta":3})"), R"({"_meta":3})");
}

TEST(RequestMetaTest, TakesAwayOnlyItsOwn) {
  EXPECT_EQ(WithoutRequestMeta(""), "");
  EXPECT_EQ(WithoutRequestMeta(R"({"a":1.00})"), R"({"a":1.00})");
  EXPECT_EQ(WithoutRequestMeta(R"({"_meta":{"progressToken":7}})"),
            R"({"_meta":{"progressToken":7}})");
  EXPECT_EQ(WithoutRequestMeta(R"({"a":1.00,"_meta":{)" + kRequestMeta +
                               R"(,"io.modelcontextprotocol/logLevel":"info","x":1,)"
                               R"("io.modelcontextprotocol/related-task":{"taskId":"t"}},"b":2})"),
            R"({"a":1.00,"_meta":{"x":1,"io.modelcontextprotocol/related-task":)"
            R"({"taskId":"t"}},"b":2})");
  EXPECT_EQ(
      WithoutRequestMeta(R"({"_meta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28"}})"),
      R"({"_meta":{}})");
  EXPECT_EQ(WithoutRequestMeta(R"({"_meta":"io.modelcontextprotocol/"})"),
            R"({"_meta":"io.modelcontextprotocol/"})");
}

TEST(RequestMetaTest, BuildsAnInitializeResultFromDiscovery) {
  auto initialize_result = InitializeResultOfDiscovery(
      R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"hi",)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"3"}}})",
      "x");
  ASSERT_TRUE(initialize_result);
  EXPECT_EQ(*initialize_result, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                                R"("serverInfo":{"name":"s","version":"3"},"instructions":"hi"})");
  initialize_result = InitializeResultOfDiscovery(R"({"supportedVersions":["2026-07-28"]})", "x");
  ASSERT_TRUE(initialize_result);
  EXPECT_EQ(*initialize_result, R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                                R"("serverInfo":{"name":"x","version":"1.0.0"}})");
  for (const char* result : {"", "[]", "{}", R"({"supportedVersions":"2026-07-28"})",
                             R"({"supportedVersions":[7]})", R"({"supportedVersions":["x"]})"})
    EXPECT_FALSE(InitializeResultOfDiscovery(result, "x")) << result;
}

TEST(RequestMetaTest, ReadsLevels) {
  EXPECT_EQ(LogLevelOf(json::object{{"level", "warning"}}), 3);
  EXPECT_EQ(LogLevelOf(json::object{{"level", "loud"}}), 0);
  EXPECT_EQ(LogLevelIn(json::object()), kNoLogLevel);
  json::object meta{{"io.modelcontextprotocol/logLevel", "error"}};
  EXPECT_EQ(LogLevelIn(json::object{{"_meta", meta}}), 4);
}

TEST(RequestMetaTest, KnowsAResultThatAsksForInput) {
  EXPECT_TRUE(IsCompleteResult("{}"));
  EXPECT_TRUE(IsCompleteResult(R"({"resultType":"complete"})"));
  EXPECT_FALSE(IsCompleteResult(R"({"resultType":"input_required"})"));
}

}  // namespace
}  // namespace viv::agent
