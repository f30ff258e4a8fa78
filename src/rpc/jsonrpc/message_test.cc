#include "rpc/jsonrpc/message.h"

#include <gtest/gtest.h>

namespace viv::rpc {
namespace {

using Kind = JsonRpcMessage::Kind;

JsonRpcMessage Read(std::string_view text) {
  return ReadJsonRpc(*ParseJson(text));
}

TEST(JsonRpcTest, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").kind, Kind::kRequest);
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{}})").kind, Kind::kRequest);
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").kind,
            Kind::kNotification);
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, Kind::kResponse);
}

TEST(JsonRpcTest, SaysWhatIsWrongWithAMessage) {
  EXPECT_EQ(Read("5").problem, "a message must be an object");
  EXPECT_EQ(Read(R"({"id":1,"method":"ping"})").problem, "jsonrpc must be \"2.0\"");
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":1})").problem, "method must be a string");
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":{},"method":"x"})").problem,
            "id must be a string or a number");
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":7,"method":"x","params":[1]})").problem,
            "params must be an object");
  EXPECT_EQ(Read(R"({"jsonrpc":"2.0","id":7,"method":"x","params":[1]})").id, 7);
}

TEST(JsonRpcTest, WritesResponses) {
  EXPECT_EQ(JsonRpcResult("a", "{}"), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(JsonRpcFailure(nullptr, {JsonRpcCode::kParseError, "no"}),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})");
}

}  // namespace
}  // namespace viv::rpc
