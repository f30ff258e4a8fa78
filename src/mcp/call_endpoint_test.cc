#include "mcp/call_endpoint.h"

#include <gmock/gmock.h>

#include "base/run_to_end.h"
#include "mcp/mcp_test_endpoint.h"

namespace viv::mcp {
namespace {

using ::testing::HasSubstr;

class CallEndpointTest : public ::testing::Test {
 protected:
  void Say(std::string body) { endpoint_->answers.push_back(Reply{.body = std::move(body)}); }
  Result<std::string> AskOnce() {
    return RunToEnd(CallEndpoint(endpoint_, "tools/call", {{"name", "x"}}, nullptr));
  }
  std::string Why() {
    auto reply = AskOnce();
    return reply ? "none: " + *reply : reply.error().message;
  }

  std::shared_ptr<TestEndpoint> endpoint_ = std::make_shared<TestEndpoint>();
};

TEST_F(CallEndpointTest, GivesTheResultAsItWasWritten) {
  Say(R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"n":1.00}})");
  auto reply = AskOnce();
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, R"({"content":[],"n":1.00})");
  EXPECT_EQ(endpoint_->asked[0],
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})");
}

TEST_F(CallEndpointTest, SaysWhyThereIsNone) {
  Say(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: x"}})");
  EXPECT_EQ(Why(), "Unknown tool: x");
  Say(R"({"jsonrpc":"2.0","id":1,"error":3})");
  EXPECT_THAT(Why(), HasSubstr("with an error"));
  for (const char* body : {R"({"jsonrpc":"2.0","id":1})", R"({"id":1,"result":[]})", "[]", "7"}) {
    Say(body);
    EXPECT_THAT(Why(), HasSubstr("without a result")) << body;
  }
  Say(R"({"result":{}},"success":true,{)");
  EXPECT_THAT(Why(), HasSubstr("no JSON"));
  endpoint_->answers.push_back(Reply{.cancelled = true});
  EXPECT_THAT(Why(), HasSubstr("cancelled"));
}

TEST_F(CallEndpointTest, ReadsAllPagesOfTools) {
  Say(R"({"id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"1"}})");
  Say(R"({"id":1,"result":{"tools":[{"name":"b"}]}})");
  auto tools = RunToEnd(ListEndpointTools(endpoint_, nullptr));
  ASSERT_TRUE(tools);
  EXPECT_EQ(WriteJson(*tools), R"([{"name":"a"},{"name":"b"}])");
  EXPECT_THAT(endpoint_->asked[1], HasSubstr(R"("cursor":"1")"));
  Say(R"({"id":1,"result":{"tools":3}})");
  EXPECT_FALSE(RunToEnd(ListEndpointTools(endpoint_, nullptr)));
}

TEST_F(CallEndpointTest, PagesWithoutAnEndAreGivenUp) {
  for (int i = 0; i < 200; ++i) Say(R"({"id":1,"result":{"tools":[],"nextCursor":"again"}})");
  EXPECT_TRUE(RunToEnd(ListEndpointTools(endpoint_, nullptr)));
  EXPECT_EQ(endpoint_->asked.size(), 100U);
}

}  // namespace
}  // namespace viv::mcp
