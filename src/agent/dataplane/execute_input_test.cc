// What clients of the exec WebSocket send: input, terminals, users and folders, and nonsense.

#include "agent/dataplane/command.h"
#include "agent/dataplane/commands_test_support.h"

namespace viv::agent {
namespace {

class ExecuteInputTest : public CommandsFixture {};

TEST_F(ExecuteInputTest, WritesInputInOrderAndClosesIt) {
  TestSocket& socket = Open(Execute("cat"));
  socket.Say(Input("one "));
  socket.Say(Input(""));
  socket.Say(Input("zwölf"));
  socket.Say(R"({"type":"close_stdin"})");
  socket.Say(R"({"type":"close_stdin"})");
  EXPECT_EQ(Finish(socket).stdout_text, "one zwölf");
  EXPECT_EQ(socket.exit_code(), 0);
  EXPECT_EQ(socket.Last("error"), nullptr);
}

TEST_F(ExecuteInputTest, CloseStdinAtTheStartReadsAsEmpty) {
  EXPECT_EQ(Run("cat; echo end", R"(,"close_stdin":true)").stdout_text, "end\n");
}

TEST_F(ExecuteInputTest, InputAfterItsEndIsRefusedAndNothingElseHappens) {
  TestSocket& socket =
      AwaitOutput(Open(Execute("echo up; while [ ! -e go ]; do sleep 0.01; done; echo on",
                               R"(,"close_stdin":true,"cwd":")" + folder_ + "\"")),
                  "up");
  socket.Say(Input("x"));
  RunUntil([&] { return !socket.error_type().empty(); });
  EXPECT_EQ(socket.error_type(), "CommandError");
  std::ofstream(folder_ + "/go") << "";
  EXPECT_EQ(Finish(socket).stdout_text, "up\non\n");
}

TEST_F(ExecuteInputTest, ACommandThatDoesNotReadKeepsNoKillFromBeingHeard) {
  TestSocket& socket = AwaitOutput(Open(Execute("echo up; sleep 600")), "up");
  for (int i = 0; i < 3; ++i) socket.Say(Input(std::string(1'000'000, 'x')));
  socket.Say(R"({"type":"kill"})");
  EXPECT_EQ(Finish(socket).exit_code(), 137);
}

TEST_F(ExecuteInputTest, MuchInputArrivesWhole) {
  TestSocket& socket = Open(Execute("md5sum"));
  for (int i = 0; i < 6; ++i) socket.Say(Input(std::string(1'000'000, 'x')));
  socket.Say(R"({"type":"close_stdin"})");
  EXPECT_EQ(Finish(socket).stdout_text,
            Run("head -c 6000000 /dev/zero | tr '\\0' x | md5sum").stdout_text);
}

TEST_F(ExecuteInputTest, ATerminalIsResized) {
  TestSocket& socket = AwaitOutput(
      Open(Execute("stty size; read line; stty size; tty; echo err >&2", R"(,"pty":true)")),
      "24 80");
  socket.Say(R"({"type":"resize","cols":132,"rows":50})");
  socket.Say(Input("\n"));
  AwaitOutput(socket, "50 132");
  Finish(socket);
  EXPECT_NE(socket.stdout_text.find("/dev/pts/"), std::string::npos);
  EXPECT_NE(socket.stdout_text.find("err"), std::string::npos);
  EXPECT_EQ(socket.stderr_text, "");
  EXPECT_EQ(socket.exit_code(), 0);
}

TEST_F(ExecuteInputTest, ATerminalWithoutACommandIsTheShell) {
  TestSocket& socket = Open(R"({"type":"execute","pty":true,"env":{"PS1":"> "}})");
  socket.Say(Input("echo $((6*7)) $TERM; exit 5\n"));
  EXPECT_NE(Finish(socket).stdout_text.find("42 xterm-256color"), std::string::npos);
  EXPECT_EQ(socket.exit_code(), 5);
}

TEST_F(ExecuteInputTest, ResizingWithoutATerminalIsAnError) {
  TestSocket& socket = Open(Execute("read line"));
  socket.Say(R"({"type":"resize","cols":132,"rows":50})");
  socket.Say(Input("\n"));
  EXPECT_EQ(Finish(socket).error_type(), "CommandError");
  EXPECT_EQ(socket.exit_code(), 0);
}

TEST_F(ExecuteInputTest, RunsWhereAndAsWhomItIsTold) {
  EXPECT_EQ(Run("echo $A $PWD", R"(,"env":{"A":"b"},"cwd":"/tmp")").stdout_text, "b /tmp\n");
  EXPECT_EQ(Run("echo $A $PWD $(id -u):$(id -g)",
                R"(,"run_config":{"user":"user","work_dir":"/var","env_vars":{"A":"c"}})")
                .stdout_text,
            "c /var 1000:1000\n");
  auto ids = [this](const std::string& user) {
    return Run("echo $(id -u):$(id -g):$(id -G)",
               R"(,"run_config":{"user":")" + user + R"(","work_dir":"/"})")
        .stdout_text;
  };
  EXPECT_EQ(ids("user"), "1000:1000:1000 1234\n");
  EXPECT_EQ(ids("1000"), "1000:1000:1000 1234\n");
  EXPECT_EQ(ids("user:extra"), "1000:1234:1234\n");
  EXPECT_EQ(ids("1000:5"), "1000:5:5\n");
  EXPECT_EQ(ids("4321"), "4321:0:0\n");
}

TEST_F(ExecuteInputTest, TheBoxsOwnSettingsAreTheDefault) {
  context_.default_workdir = "/var";
  context_.variables["B"] = "box";
  context_.default_user = "user";
  EXPECT_EQ(Run("echo $B $PWD $(id -u)").stdout_text, "box /var 1000\n");
  EXPECT_EQ(Run("echo $B", R"(,"env":{"B":"own"})").stdout_text, "own\n");
}

TEST_F(ExecuteInputTest, SaysWhyACommandCannotStart) {
  auto refusal = [this](const std::string& more) {
    TestSocket& socket = Run("true", more);
    EXPECT_EQ(socket.error_type(), "CommandError");
    EXPECT_EQ(socket.frames.size(), 1u);
    EXPECT_EQ(socket.close_code, 1000);
    return socket.error_text();
  };
  EXPECT_NE(refusal(R"(,"run_config":{"user":"nobody-here"})").find("user 'nobody-here'"),
            std::string::npos);
  EXPECT_NE(refusal(R"(,"run_config":{"user":"user:nogroup-here"})").find("does not exist"),
            std::string::npos);
  EXPECT_NE(refusal(R"(,"cwd":"/missing")").find("cwd '/missing' does not exist"),
            std::string::npos);
  EXPECT_NE(refusal(R"(,"cwd":"/etc/hostname")").find("chdir"), std::string::npos);
  EXPECT_NE(refusal(R"(,"shell":"/bin/missing-shell")").find("/bin/missing-shell"),
            std::string::npos);
  EXPECT_NE(refusal(R"(,"env":{"A=B":"c"})").find("environment variable"), std::string::npos);
  EXPECT_NE(refusal(R"(,"env":{},"run_config":{})").find("cannot be combined"), std::string::npos);
  EXPECT_EQ(commands_->running(), 0u);
}

TEST_F(ExecuteInputTest, ShellsAreTheOneThatIsNamed) {
  EXPECT_EQ(Run("echo $0", R"(,"shell":"/bin/sh")").stdout_text, "/bin/sh\n");
  EXPECT_EQ(Run("echo $0", R"(,"shell":"/bin/bash")").stdout_text, "/bin/bash\n");
}

TEST_F(ExecuteInputTest, ABadFirstFrameIsAnErrorAndTheEnd) {
  for (const char* frame : {"no json", "[]", R"({"type":"kill"})", R"({"type":"execute"})",
                            R"({"type":"execute","command":"ls","timeout_seconds":"x"})"}) {
    TestSocket& socket = Finish(Open(frame));
    EXPECT_EQ(socket.error_type(), "CommandError") << frame;
    EXPECT_EQ(socket.close_code, 1000);
  }
}

TEST_F(ExecuteInputTest, ABadLaterFrameDisturbsNobody) {
  TestSocket& other = Open(Execute("read line; echo $line", R"(,"command_id":"shared")"));
  TestSocket& socket = Open(Reconnect("shared"));
  RunUntil([&] { return !socket.frames.empty(); });
  socket.Say("no json");
  socket.Say(R"({"type":"shout"})");
  socket.Say(R"({"type":"input","data":7})");
  socket.Say(R"({"type":"ssh_agent_data","channel_id":"1","data":""})");
  socket.Say(Input("fine\n"));
  Finish(socket);
  EXPECT_EQ(socket.stdout_text, "fine\n");
  EXPECT_EQ(Finish(other).stdout_text, "fine\n");
  EXPECT_EQ(other.Last("error"), nullptr);
  int errors = 0;
  for (const json::value& frame : socket.frames) errors += FindString(frame, "type") == "error";
  EXPECT_EQ(errors, 3);
}

TEST_F(ExecuteInputTest, AStalledReaderHoldsUpNobodyElse) {
  TestSocket& fast =
      Open(Execute("head -c 6500000 /dev/zero | tr '\\0' a; read line", R"(,"command_id":"two")"));
  RunUntil([&] { return !fast.frames.empty(); });
  TestSocket& slow = Open(Reconnect("two"), true);
  RunUntil([&] { return fast.stdout_text.size() == 6'500'000; });
  slow.Release();
  Finish(slow);
  EXPECT_EQ(slow.close_code, 1001);
  EXPECT_EQ(slow.Last("exit"), nullptr);
  fast.Say(Input("\n"));
  EXPECT_EQ(Finish(fast).exit_code(), 0);
}

TEST_F(ExecuteInputTest, ALoneReaderThatPausesLosesNothing) {
  TestSocket& socket = Open(Execute("head -c 7000000 /dev/zero | tr '\\0' a; touch written",
                                    R"(,"cwd":")" + folder_ + "\""),
                            true);
  // Everything that can happen without the reader has happened once the process waits for it.
  RunUntil([&] { return !sockets_.empty() && commands_->running() == 1; });
  for (int i = 0; i < 200; ++i) io_.poll();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/written"));
  socket.Release();
  EXPECT_EQ(Finish(socket).stdout_text.size(), 7'000'000u);
  EXPECT_EQ(socket.exit_code(), 0);
}

}  // namespace
}  // namespace viv::agent
