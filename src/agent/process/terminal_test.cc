#include "agent/process/processes_test_support.h"

namespace viv::agent {
namespace {

class ProcessTerminalTest : public ProcessesFixture {
 protected:
  TestStream& OpenTerminal(const std::string& script,
                           const std::string& size = R"({"cols":80,"rows":24})",
                           const std::vector<Header>& headers = {}) {
    json::object request = ParseJson(ShellRequest(script, false))->get_object();
    request.erase("stdin");
    request["pty"] = json::object{{"size", *ParseJson(size)}};
    return Open("Start", WriteJson(request), headers);
  }
  std::string Typed(const TestStream& stream, std::string_view bytes) {
    return "{" + Selector(stream) + R"(,"input":{"pty":")" + EncodeBase64(bytes) + R"("}})";
  }
};

TEST_F(ProcessTerminalTest, IsATerminalOfTheSizeAskedFor) {
  TestStream& stream = Finish(OpenTerminal("stty size; [ -t 0 ] && [ -t 2 ] && echo tty; exit 3"));
  EXPECT_EQ(stream.terminal_bytes, "24 80\r\ntty\r\n");
  EXPECT_EQ(stream.stdout_bytes + stream.stderr_bytes, "");
  EXPECT_EQ(stream.process_end.at("exitCode"), 3);
}

TEST_F(ProcessTerminalTest, IsTheControllingOneAndBelongsToItsUser) {
  std::vector<Header> as_user{{"Authorization", "Basic " + EncodeBase64("user:")}};
  TestStream& stream = Finish(
      OpenTerminal("stat -c %u $(tty); echo x > /dev/tty", R"({"cols":80,"rows":24})", as_user));
  EXPECT_EQ(stream.terminal_bytes, "1000\r\nx\r\n");
}

TEST_F(ProcessTerminalTest, TakesInputAndNewSizes) {
  TestStream& stream = OpenTerminal("stty -echo; echo ready; read line; stty size; echo got $line");
  WaitForOutput(stream, "ready");
  EXPECT_EQ(
      Call("Update", "{" + Selector(stream) + R"(,"pty":{"size":{"cols":100,"rows":50}}})").status,
      200);
  EXPECT_EQ(Call("SendInput", Typed(stream, "hello\n")).status, 200);
  EXPECT_EQ(Finish(stream).terminal_bytes, "ready\r\n50 100\r\ngot hello\r\n");
}

TEST_F(ProcessTerminalTest, TakesControlCharacters) {
  TestStream& stream = OpenTerminal("echo ready; exec sleep 1000");
  WaitForOutput(stream, "ready");
  EXPECT_EQ(Call("SendInput", Typed(stream, "\x03")).status, 200);
  EXPECT_EQ(Finish(stream).process_end.at("status"), "signal: interrupt");
}

TEST_F(ProcessTerminalTest, HasNoStandardInputToWriteOrClose) {
  TestStream& stream = OpenTerminal("echo ready; sleep 1000");
  WaitForOutput(stream, "ready");
  EXPECT_EQ(Call("SendInput", Stdin(stream, "x")).code(), "internal");
  EXPECT_EQ(Call("CloseStdin", "{" + Selector(stream) + "}").code(), "failed_precondition");
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + R"(,"signal":"SIGNAL_SIGKILL"})").status,
            200);
  EXPECT_EQ(Finish(stream).process_end.at("status"), "signal: killed");
}

TEST_F(ProcessTerminalTest, SurvivesAWriterThatGaveUp) {
  TestStream& stream = OpenTerminal("stty raw -echo; echo ready; sleep 1000");
  WaitForOutput(stream, "ready");
  std::string much(1024 * 1024, 'x');
  EXPECT_EQ(Call("SendInput", Typed(stream, much), {{"Connect-Timeout-Ms", "20"}}).code(),
            "deadline_exceeded");
  // Its output is still read, and its end still told.
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + R"(,"signal":"SIGNAL_SIGKILL"})").status,
            200);
  EXPECT_TRUE(Finish(stream).told_end());
}

TEST_F(ProcessTerminalTest, CutsSizesToWhatATerminalCanHave) {
  TestStream& stream = Finish(OpenTerminal("stty size", R"({"cols":4294967295,"rows":0})"));
  EXPECT_EQ(stream.terminal_bytes, "0 65535\r\n");
  EXPECT_EQ(Finish(Open("Start", R"({"process":{"cmd":"stty","args":["size"]},"pty":{}})"))
                .terminal_bytes,
            "0 0\r\n");
  EXPECT_EQ(Finish(OpenTerminal("true", R"({"cols":-1})")).error_code(), "invalid_argument");
}

}  // namespace
}  // namespace viv::agent
