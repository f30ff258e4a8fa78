#include "dialects/klavis/tool_formats.h"

#include <gmock/gmock.h>

namespace viv::klavis {
namespace {

std::string InFormat(ToolFormat format, std::string_view tools) {
  return WriteJson(ToolsInFormat(format, ParseJson(tools)->as_array()));
}

constexpr char kOneTool[] =
    R"([{"name":"add","description":"Adds","inputSchema":{"type":"object","properties":)"
    R"({"a":{"type":"integer"}},"required":["a"],"additionalProperties":false},"annotations":{}}])";

TEST(ToolFormatsTest, KnowsTheFourNames) {
  for (const char* name : {"openai", "anthropic", "gemini", "mcp_native"}) {
    auto format = ParseToolFormat(name);
    ASSERT_TRUE(format) << name;
    EXPECT_EQ(NameOf(*format), name);
  }
  EXPECT_FALSE(ParseToolFormat("OpenAI"));
  EXPECT_FALSE(ParseToolFormat(""));
}

TEST(ToolFormatsTest, WritesAToolAsEachWantsIt) {
  EXPECT_EQ(InFormat(ToolFormat::kMcpNative, kOneTool), kOneTool);
  EXPECT_EQ(InFormat(ToolFormat::kOpenAi, kOneTool),
            R"([{"type":"function","function":{"name":"add","description":"Adds","parameters":)"
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],)"
            R"("additionalProperties":false}}}])");
  EXPECT_EQ(InFormat(ToolFormat::kAnthropic, kOneTool),
            R"([{"name":"add","description":"Adds","input_schema":{"type":"object","properties":)"
            R"({"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}])");
  EXPECT_EQ(InFormat(ToolFormat::kGemini, kOneTool),
            R"([{"functionDeclarations":[{"name":"add","description":"Adds","parameters":)"
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]}])");
}

TEST(ToolFormatsTest, WhatIsNoToolIsLeftOut) {
  for (const char* name : {"openai", "anthropic", "gemini", "mcp_native"})
    EXPECT_EQ(InFormat(*ParseToolFormat(name), R"([1,"x",{},{"name":7},[]])"), "[]") << name;
  EXPECT_EQ(InFormat(ToolFormat::kAnthropic, R"([{"name":"a","inputSchema":3}])"),
            R"([{"name":"a","description":"","input_schema":{"type":"object","properties":{}}}])");
}

std::string GeminiParameters(const std::string& properties, const std::string& more = "") {
  std::string tool = R"([{"name":"t","inputSchema":{"type":"object","properties":{"p":)" +
                     properties + "}" + more + "}}]";
  json::array tools = ToolsInFormat(ToolFormat::kGemini, ParseJson(tool)->as_array());
  return WriteJson(
      tools[0].at("functionDeclarations").at(0).at("parameters").at("properties").at("p"));
}

TEST(ToolFormatsTest, GeminiGetsOnlyWhatItsSchemasHave) {
  EXPECT_EQ(GeminiParameters(R"({"type":["string","null"],"default":"x","format":"uri"})"),
            R"({"type":"string","nullable":true})");
  EXPECT_EQ(GeminiParameters(R"({"anyOf":[{"type":"integer"},{"type":"null"}],"title":"N"})"),
            R"({"title":"N","nullable":true,"type":"integer"})");
  EXPECT_EQ(GeminiParameters(R"({"oneOf":[{"type":"integer"},{"type":"string"}]})"),
            R"({"anyOf":[{"type":"integer"},{"type":"string"}]})");
  EXPECT_EQ(GeminiParameters(R"({"type":"string","enum":["a",1,null]})"),
            R"({"type":"string","enum":["a"]})");
  EXPECT_EQ(GeminiParameters(R"({"type":"array","items":{"$ref":"#/$defs/I"}})",
                             R"(,"$defs":{"I":{"type":"number"}})"),
            R"({"type":"array","items":{"type":"number"}})");
}

TEST(ToolFormatsTest, ASchemaThatLeadsInCirclesEnds) {
  EXPECT_THAT(GeminiParameters(R"({"$ref":"#/$defs/I"})",
                               R"(,"$defs":{"I":{"type":"array","items":{"$ref":"#/$defs/I"}}})"),
              ::testing::StartsWith(R"({"type":"array","items":{"type":"array")"));
  std::string bomb = R"(,"$defs":{"I":{"type":"object","properties":{)";
  for (char c = 'a'; c < 'k'; ++c)
    bomb += std::string(c == 'a' ? "" : ",") + "\"" + c + R"(":{"$ref":"#/$defs/I"})";
  EXPECT_LT(GeminiParameters(R"({"$ref":"#/$defs/I"})", bomb + "}}}").size(), 2'000'000U);
}

TEST(ToolFormatsTest, GeminiRefusesAnObjectWithoutProperties) {
  EXPECT_EQ(InFormat(ToolFormat::kGemini, R"([{"name":"t","inputSchema":{"type":"object"}}])"),
            R"([{"functionDeclarations":[{"name":"t","description":""}]}])");
}

}  // namespace
}  // namespace viv::klavis
