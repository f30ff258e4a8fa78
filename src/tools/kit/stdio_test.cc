#include "tools/kit/stdio.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <thread>

#include "base/unique_fd.h"

namespace viv::tools {
namespace {

constexpr std::string_view kWaitingTools = R"([
  {"name":"echo","description":"Says it again.","inputSchema":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}},
  {"name":"wait","description":"","inputSchema":{"type":"object","properties":{}}},
  {"name":"fail","description":"","inputSchema":{"type":"object","properties":{}}}])";

// A server on a socket pair, as the agent has it on pipes.
class StdioTest : public testing::Test {
 protected:
  StdioTest() {
    server_.On("echo", [](const Arguments& arguments, const CallContext& context) -> CallResult {
      if (context.progress) context.progress(1, 2, "half");
      return Text(arguments.Text("text"));
    });
    server_.On(
        "wait",
        [](const Arguments&, const CallContext& context) -> CallResult {
          while (!context.cancelled) std::this_thread::yield();
          return Text("given up");
        },
        Concurrency::kParallel);
    server_.On("fail", [](const Arguments&, const CallContext&) -> CallResult {
      return tl::unexpected(CallFailure{-32603, "no"});
    });
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours_ = UniqueFd(ends[0]);
    theirs_ = UniqueFd(ends[1]);
    thread_ =
        std::thread([this] { exit_code_ = ServeStdio(server_, theirs_.get(), theirs_.get()); });
  }
  ~StdioTest() override {
    ::shutdown(ours_.get(), SHUT_WR);
    thread_.join();
    EXPECT_EQ(exit_code_, 0);
  }

  void Send(std::string text) {
    ASSERT_EQ(::write(ours_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string NextLine() {
    std::string line;
    for (char byte; ::read(ours_.get(), &byte, 1) == 1 && byte != '\n';) line += byte;
    return line;
  }
  std::string Ask(std::string message) {
    Send(message + "\n");
    return NextLine();
  }

  ToolServer server_{{.name = "waiting",
                      .version = "1.2",
                      .instructions = "",
                      .errors = ArgumentErrors::kJsonSchema},
                     kWaitingTools};
  UniqueFd ours_, theirs_;
  std::thread thread_;
  int exit_code_ = -1;
};

TEST_F(StdioTest, NegotiatesTheVersion) {
  EXPECT_EQ(
      Ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})"),
      R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":false}},)"
      R"("serverInfo":{"name":"waiting","version":"1.2"}}})");
  EXPECT_NE(
      Ask(R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"1999-01-01"}})")
          .find(R"("protocolVersion":"2025-11-25")"),
      std::string::npos);
}

TEST_F(StdioTest, ListsAndCallsTools) {
  EXPECT_NE(Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")
                .find(R"("name":"echo","description":"Says it again.")"),
            std::string::npos);
  EXPECT_EQ(
      Ask(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}})"),
      R"({"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"hi"}]}})");
  EXPECT_EQ(Ask(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fail"}})"),
            R"({"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"no"}})");
}

TEST_F(StdioTest, SendsProgressToWhoAskedForIt) {
  Send(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},"_meta":{"progressToken":7}}})"
      "\n");
  EXPECT_NE(NextLine().find(R"("progressToken":7,"progress":1)"), std::string::npos);
  EXPECT_NE(NextLine().find(R"("id":1,"result")"), std::string::npos);
}

TEST_F(StdioTest, ASlowCallHoldsUpNoOtherAndCanBeCancelled) {
  Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})"
       "\n");
  EXPECT_NE(
      Ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}})")
          .find(R"("id":2)"),
      std::string::npos);
  Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
       "\n");
  EXPECT_NE(Ask(R"({"jsonrpc":"2.0","id":3,"method":"ping"})").find(R"("id":3)"),
            std::string::npos);
}

TEST_F(StdioTest, SurvivesWhatIsNoMessage) {
  EXPECT_NE(Ask("{nonsense").find("-32700"), std::string::npos);
  EXPECT_NE(Ask("[1,2]").find("-32600"), std::string::npos);
  EXPECT_NE(Ask(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})").find("-32601"),
            std::string::npos);
  Send("\n  \n");
  EXPECT_NE(Ask(R"({"jsonrpc":"2.0","id":9,"method":"ping"})").find(R"("id":9)"),
            std::string::npos);
}

}  // namespace
}  // namespace viv::tools
