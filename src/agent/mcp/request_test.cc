#include "agent/mcp/request.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

TEST(McpRequestTest, ReadsADefinitionAndKeepsTheMessageAsWritten) {
  auto request = ReadMcpRequest(
      R"({"server":{"name":"a","command":["b","c"],"variables":{"X":"y"},"folder":"/data",)"
      R"("user":"user","idle_seconds":5},"version":"2026-07-28","caller":"s",)"
      R"("message":{"jsonrpc":"2.0","id":1.00,"method":"m","params":{"n":1e2}}})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->server.command, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(request->server.variables.at("X"), "y");
  EXPECT_EQ(request->server.idle, std::chrono::seconds(5));
  EXPECT_EQ(request->id, "1.00");
  EXPECT_EQ(request->params, R"({"n":1e2})");
  EXPECT_EQ(request->caller, "s");
  EXPECT_TRUE(request->is_modern());
}

TEST(McpRequestTest, NamesWithEscapesCountToo) {
  auto request = ReadMcpRequest(
      R"({"server":{"name":"a","command":["b"]},"message":{"jsonrpc":"2.0","\u0069d":3,"method":"m","p\u0061rams":{"a":1}}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, "3");
  EXPECT_EQ(request->params, R"({"a":1})");
}

}  // namespace
}  // namespace viv::agent
