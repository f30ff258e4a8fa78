#include "agent/dataplane/execute_stream.h"

#include "agent/dataplane/commands_test_support.h"

namespace viv::agent {
namespace {

class ExecuteStreamTest : public CommandsFixture {
 protected:
  static std::string Start(const std::string& command, const std::string& more = "") {
    json::object body;
    body["command"] = command;
    std::string text = WriteJson(body);
    text.pop_back();
    return text + more + "}";
  }
  static std::string Resume(const std::string& id, std::int64_t out, std::int64_t err = 0) {
    return R"({"command_id":")" + id + R"(","stdout_offset":)" + std::to_string(out) +
           R"(,"stderr_offset":)" + std::to_string(err) + "}";
  }
  static std::vector<std::string> NamesOf(const TestEvents& stream) {
    std::vector<std::string> names;
    for (const auto& event : stream.events) names.push_back(event.name);
    return names;
  }
};

TEST_F(ExecuteStreamTest, TellsStartOutputEndsAndExit) {
  TestEvents& stream =
      Finish(Stream("start", Start("printf 'a\\377'; exit 3", R"(,"command_id":"s")")));
  EXPECT_EQ(stream.response.headers.Get("content-type"), "text/event-stream");
  EXPECT_EQ(stream.events[0].name, "started");
  EXPECT_EQ(FindString(stream.events[0].data, "command_id"), "s");
  EXPECT_GT(stream.events[0].data.at("pid").as_int64(), 1);
  EXPECT_EQ(stream.stdout_bytes, "a\xFF");
  EXPECT_EQ(stream.events.back().name, "exit");
  EXPECT_EQ(stream.events.back().data.at("exit_code").as_int64(), 3);
  int ends = 0;
  for (const auto& event : stream.events) {
    if (event.name != "stream_end") continue;
    ++ends;
    bool out = FindString(event.data, "stream") == "stdout";
    EXPECT_EQ(event.data.at("offset").as_int64(), out ? 2 : 0);
  }
  EXPECT_EQ(ends, 2);
}

TEST_F(ExecuteStreamTest, PausesTheCommandUntilItsOutputIsAcknowledged) {
  TestEvents& first =
      Finish(Stream("start", Start("head -c 1500000 /dev/zero; touch written; echo err >&2",
                                   R"(,"command_id":"big","cwd":")" + folder_ + "\"")));
  EXPECT_EQ(first.events.back().name, "ack_required");
  std::int64_t offset = first.events.back().data.at("stdout_offset").as_int64();
  EXPECT_EQ(offset, static_cast<std::int64_t>(first.stdout_bytes.size()));
  EXPECT_GE(offset, 1024 * 1024);
  EXPECT_LT(offset, 2 * 1024 * 1024);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/written"));
  EXPECT_EQ(commands_->running(), 1u);

  std::string all = first.stdout_bytes;
  std::string errors;
  std::string last;
  for (int i = 0; i < 10 && last != "exit"; ++i) {
    TestEvents& next = Finish(Stream("resume", Resume("big", static_cast<std::int64_t>(all.size()),
                                                      static_cast<std::int64_t>(errors.size()))));
    EXPECT_EQ(next.events[0].name, "started");
    all += next.stdout_bytes;
    errors += next.stderr_bytes;
    last = next.events.back().name;
  }
  EXPECT_EQ(last, "exit");
  EXPECT_EQ(all.size(), 1'500'000u);
  EXPECT_EQ(errors, "err\n");
}

TEST_F(ExecuteStreamTest, ResumingSeeksAndTellsTheEndsAgain) {
  Finish(Stream("start", Start("printf 0123456789; exit 2", R"(,"command_id":"seek")")));
  TestEvents& middle = Finish(Stream("resume", Resume("seek", 4)));
  EXPECT_EQ(middle.stdout_bytes, "456789");
  EXPECT_EQ(middle.Last("stdout")->data.at("offset").as_int64(), 4);
  TestEvents& end = Finish(Stream("resume", Resume("seek", 10)));
  EXPECT_EQ(NamesOf(end),
            (std::vector<std::string>{"started", "stream_end", "stream_end", "exit"}));
}

TEST_F(ExecuteStreamTest, TheSameIdStartsOnce) {
  std::string body =
      Start("echo x >> runs; cat runs", R"(,"command_id":"once","cwd":")" + folder_ + "\"");
  Finish(Stream("start", body));
  EXPECT_EQ(Finish(Stream("start", body)).stdout_bytes, "x\n");
}

TEST_F(ExecuteStreamTest, AClientThatIsGoneDoesNotEndTheCommand) {
  TestEvents& stream =
      Stream("start", Start("echo one; while [ ! -e go ]; do sleep 0.01; done; echo two",
                            R"(,"command_id":"gone","cwd":")" + folder_ + "\""));
  RunUntil([&] { return stream.stdout_bytes == "one\n"; });
  stream.cancel.emit(asio::cancellation_type::terminal);
  Finish(stream);
  EXPECT_EQ(commands_->running(), 1u);
  std::ofstream(folder_ + "/go") << "";
  EXPECT_EQ(Finish(Stream("resume", Resume("gone", 4))).stdout_bytes, "two\n");
}

TEST_F(ExecuteStreamTest, ASocketReadsAPausedCommandOn) {
  Finish(
      Stream("start", Start("head -c 1500000 /dev/zero | tr '\\0' a", R"(,"command_id":"mix")")));
  EXPECT_EQ(Finish(Open(Reconnect("mix"))).stdout_text.size(), 1'500'000u);
}

TEST_F(ExecuteStreamTest, ATimeoutIsAnErrorEvent) {
  TestEvents& stream = Finish(Stream("start", Start("sleep 600", R"(,"timeout_seconds":0.05)")));
  EXPECT_EQ(stream.error_type(), "CommandTimeout");
  EXPECT_EQ(stream.Last("exit"), nullptr);
}

TEST_F(ExecuteStreamTest, RefusesWhatItCannotResume) {
  EXPECT_EQ(Finish(Stream("resume", Resume("nobody", 0))).response.status, 404);
  EXPECT_NE(streams_.back()->response.body.find("CommandNotFound"), std::string::npos);
  Finish(Stream("start", Start("echo x", R"(,"command_id":"short")")));
  EXPECT_EQ(Finish(Stream("resume", Resume("short", 3))).error_type(), "InvalidOffset");
  EXPECT_EQ(Finish(Stream("resume", Resume("short", 0, 1))).error_type(), "InvalidOffset");
  EXPECT_EQ(Finish(Stream("resume", Resume("short", -1))).response.status, 400);
  EXPECT_EQ(Finish(Stream("resume", "{}")).response.status, 400);
  EXPECT_EQ(Finish(Stream("resume", "no json")).response.status, 400);
  Finish(Stream("start", Start("true", R"(,"command_id":"brief","ttl_seconds":0)")));
  EXPECT_EQ(Finish(Stream("resume", Resume("brief", 0))).error_type(), "SessionExpired");
}

TEST_F(ExecuteStreamTest, RefusesWhatItCannotStart) {
  EXPECT_EQ(Finish(Stream("start", Start("ls", R"(,"pty":true)"))).response.status, 409);
  EXPECT_NE(streams_.back()->response.body.find("PTYUnsupported"), std::string::npos);
  for (const char* body : {"", "[]", "{}", R"({"command":"ls","cwd":"/missing"})",
                           R"({"command":"ls","run_config":{},"cwd":"/"})"}) {
    EXPECT_EQ(Finish(Stream("start", body)).response.status, 400) << body;
  }
}

TEST_F(ExecuteStreamTest, ATerminalIsNotStreamed) {
  TestSocket& terminal = Open(Execute("read line", R"(,"pty":true,"command_id":"term")"));
  RunUntil([&] { return !terminal.frames.empty(); });
  EXPECT_EQ(Finish(Stream("resume", Resume("term", 0))).response.status, 409);
  EXPECT_EQ(Finish(Stream("start", Start("x", R"(,"command_id":"term")"))).response.status, 409);
}

}  // namespace
}  // namespace viv::agent
