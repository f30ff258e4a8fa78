#include "tools/kit/tool_server.h"

#include <gtest/gtest.h>

namespace viv::tools {
namespace {

constexpr std::string_view kGreeterTools = R"([
  {"name":"greet","description":"","inputSchema":{"type":"object","required":["who"],
   "properties":{"who":{"type":"string"},"times":{"type":"integer","default":1},"loud":{"type":"boolean"},
                 "more":{"type":"array","items":{"type":"string"}}}}},
  {"name":"leave","description":"","inputSchema":{"type":"object","properties":{}}}])";

struct Greeter {
  ToolServer server{{.name = "greeter",
                     .version = "1",
                     .instructions = "",
                     .errors = ArgumentErrors::kJsonSchema},
                    kGreeterTools};
  std::atomic<bool> cancelled = false;

  Greeter() {
    server.On("greet", [](const Arguments& arguments, const CallContext&) -> CallResult {
      std::string text;
      for (int i = 0; i < arguments.Integer("times"); ++i)
        text += "hello " + arguments.Text("who") + ";";
      for (const std::string& name : arguments.Texts("more")) text += name;
      return Text(text + (arguments.Flag("loud") ? "!" : ""));
    });
  }
  CallResult Call(std::string_view tool, std::string_view arguments) {
    return server.Call(tool, ParseJson(arguments)->get_object(), CallContext{cancelled, {}});
  }
};

std::string TextOf(const CallResult& result) {
  return std::string(FindString(result->content.at(0), "text"));
}

TEST(ToolServerTest, FillsDefaultsAndReadsArguments) {
  Greeter greeter;
  EXPECT_EQ(TextOf(greeter.Call("greet", R"({"who":"you"})")), "hello you;");
  EXPECT_EQ(TextOf(greeter.Call("greet", R"({"who":"x","times":2,"loud":true,"more":["a","b"]})")),
            "hello x;hello x;ab!");
}

TEST(ToolServerTest, IgnoresArgumentsThatNobodyKnows) {
  Greeter greeter;
  EXPECT_EQ(TextOf(greeter.Call("greet", R"({"who":"you","folder":"INBOX"})")), "hello you;");
}

TEST(ToolServerTest, RefusesWhatDoesNotFitTheSchema) {
  Greeter greeter;
  for (const char* arguments : {"{}", R"({"who":5})", R"({"who":"x","more":"y"})"}) {
    CallResult result = greeter.Call("greet", arguments);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->is_error) << arguments;
  }
}

TEST(ToolServerTest, RefusesToolsThatItDoesNotHave) {
  Greeter greeter;
  CallResult result = greeter.Call("dance", "{}");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_error);
  EXPECT_EQ(TextOf(result), "Unknown tool: dance");
}

TEST(ToolServerTest, NamesToolsWithoutAHandler) {
  EXPECT_EQ(Greeter().server.Unbound(), std::vector<std::string>{"leave"});
}

TEST(ToolServerTest, AnAliasCallsTheSameTool) {
  Greeter greeter;
  greeter.server.Alias("greeter_greet", "greet");
  EXPECT_EQ(TextOf(greeter.Call("greeter_greet", R"({"who":"you"})")), "hello you;");
  greeter.server.Alias("hail", "greet", [](json::object given) {
    return json::object{{"who", given.contains("name") ? given["name"] : json::value()}};
  });
  EXPECT_EQ(TextOf(greeter.Call("hail", R"({"name":"you"})")), "hello you;");
  EXPECT_TRUE(greeter.Call("hail", "{}")->is_error);
}

TEST(AsUtf8Test, ReplacesBrokenRunsAsNodeDoes) {
  EXPECT_EQ(AsUtf8("plain ünï"), "plain ünï");
  EXPECT_EQ(AsUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(AsUtf8("\xE2\x82z"), "\xEF\xBF\xBDz");  // two bytes of three: one mark
  EXPECT_EQ(AsUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate: three
}

}  // namespace
}  // namespace viv::tools
