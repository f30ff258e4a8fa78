#include "boxes/agent_pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/run_to_end.h"

namespace viv::boxes {
namespace {

using ::testing::HasSubstr;

// An agent that has its answer ready, whatever it is asked.
struct ReadyAgent {
  explicit ReadyAgent(std::string_view response) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = UniqueFd(ends[0]);
    theirs = UniqueFd(ends[1]);
    EXPECT_EQ(::write(theirs.get(), response.data(), response.size()),
              static_cast<ssize_t>(response.size()));
    ::shutdown(theirs.get(), SHUT_WR);
  }
  std::string Asked() {
    std::string text(1 << 16, '\0');
    text.resize(static_cast<std::size_t>(
        std::max<ssize_t>(::recv(theirs.get(), text.data(), text.size(), MSG_DONTWAIT), 0)));
    return text;
  }
  UniqueFd ours, theirs;
};

std::string Complaint(int status, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " No\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

Task<Status> AppendPiped(std::string& to, std::string piece) {
  to += piece;
  co_return Status();
}

Task<Result<std::string>> NextOf(std::string& text) {
  co_return std::exchange(text, std::string());
}

Status RunOver(ReadyAgent& agent, std::string& output, std::string input = "") {
  AgentProgram program{.arguments = {"/bin/x", "a b"}, .folder = "/data"};
  ByteSink sink = [&output](std::string piece) { return AppendPiped(output, std::move(piece)); };
  ByteSource source = [&input] { return NextOf(input); };
  return RunToEnd(RunPiped(std::move(agent.ours), "token", program, source, sink));
}

TEST(AgentPipeTest, PassesOnWhatTheProgramWrote) {
  ReadyAgent agent("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n");
  std::string output;
  Status done = RunOver(agent, output, "the input");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(output, "one");
  std::string asked = agent.Asked();
  EXPECT_THAT(asked, HasSubstr("POST /pipe?argv=%5B%22%2Fbin%2Fx%22%2C%22a%20b%22%5D&user=user"));
  EXPECT_THAT(asked, HasSubstr("token"));
}

TEST(AgentPipeTest, SaysWhatTheProgramComplainedAbout) {
  ReadyAgent agent(Complaint(422, R"({"code":422,"message":"it is cut off.\n"})"));
  std::string output;
  Status done = RunOver(agent, output);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(done.error().message, "it is cut off.");
}

TEST(AgentPipeTest, SeesThatAnAnswerWasCut) {
  ReadyAgent agent("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  std::string output;
  Status done = RunOver(agent, output);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
}

TEST(AgentPipeTest, StartsACommandAndLetsItGoOn) {
  ReadyAgent agent("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n: x\r\n");
  BackgroundCommand command{
      .id = "one", .program = {.arguments = {"sh"}}, .variables = {{"A", "B"}}};
  Status done = RunToEnd(StartInBackground(std::move(agent.ours), "token", command));
  ASSERT_TRUE(done) << done.error().message;
  std::string asked = agent.Asked();
  EXPECT_THAT(asked, HasSubstr(R"("command_id":"one")"));
  EXPECT_THAT(asked, HasSubstr(R"("env_vars":{"A":"B"})"));
}

TEST(AgentPipeTest, SaysWhyACommandDidNotStart) {
  ReadyAgent agent(Complaint(400, R"({"detail":{"message":"no program"}})"));
  Status done = RunToEnd(StartInBackground(std::move(agent.ours), "token", BackgroundCommand()));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("no program"));
}

}  // namespace
}  // namespace viv::boxes
