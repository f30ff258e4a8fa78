#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "agent/process/process_table.h"
#include "agent/process/processes_test_support.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

class ProcessesTest : public ProcessesFixture {};

const std::vector<std::pair<std::string, std::string>> kAsUser{
    {"Authorization", "Basic " + EncodeBase64("user:")}};

TEST_F(ProcessesTest, TellsStartOutputAndEnd) {
  TestStream& stream = Shell("echo out; echo err >&2");
  EXPECT_GT(stream.pid, 0);
  EXPECT_EQ(stream.stdout_bytes, "out\n");
  EXPECT_EQ(stream.stderr_bytes, "err\n");
  EXPECT_EQ(WriteJson(stream.process_end),
            R"({"exitCode":0,"exited":true,"status":"exit status 0"})");
  EXPECT_EQ(WriteJson(stream.end), "{}");
}

TEST_F(ProcessesTest, TellsExitCodesAndSignals) {
  EXPECT_EQ(WriteJson(Shell("exit 3").process_end),
            R"({"exitCode":3,"exited":true,"status":"exit status 3","error":"exit status 3"})");
  EXPECT_EQ(WriteJson(Shell("kill -9 $$").process_end),
            R"({"exitCode":-1,"exited":false,"status":"signal: killed","error":"signal: killed"})");
}

TEST_F(ProcessesTest, KeepsOutputThatIsNoText) {
  EXPECT_EQ(Shell(R"(printf '\000\377\n')").stdout_bytes, std::string("\0\xff\n", 3));
}

TEST_F(ProcessesTest, LayersTheVariables) {
  context_.variables = {{"SHARED", "box"}, {"LOGNAME", "box"}};
  TestStream& stream = Finish(Open("Start", R"({"process":{"cmd":"env","envs":
      {"SHARED":"request","OWN":"1=2"}},"stdin":false})"));
  for (const char* line :
       {"HOME=/root\n", "USER=root\n", "LOGNAME=box\n", "SHARED=request\n", "OWN=1=2\n", "PATH="}) {
    EXPECT_NE(stream.stdout_bytes.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(std::count(stream.stdout_bytes.begin(), stream.stdout_bytes.end(), '\n'), 6)
      << stream.stdout_bytes;
}

TEST_F(ProcessesTest, StartsInTheHomeTheDefaultFolderOrTheOneAskedFor) {
  EXPECT_EQ(Shell("pwd", kAsUser).stdout_bytes, folder_ + "\n");
  context_.default_workdir = "/usr";
  EXPECT_EQ(Shell("pwd", kAsUser).stdout_bytes, "/usr\n");
  EXPECT_EQ(Finish(Open("Start", R"({"process":{"cmd":"pwd","cwd":"/tmp"}})")).stdout_bytes,
            "/tmp\n");
}

TEST_F(ProcessesTest, RunsAsTheCallerWithTheirGroups) {
  EXPECT_EQ(Shell("id -u; id -g; id -G", kAsUser).stdout_bytes, "1000\n1000\n1000 1234\n");
  EXPECT_EQ(Shell("id -u; id -G").stdout_bytes, "0\n0\n");
}

TEST_F(ProcessesTest, GivesChildrenNothingOfTheAgent) {
  signal(SIGUSR1, SIG_IGN);
  UniqueFd leak(::dup(2));  // not even what is not marked close-on-exec
  TestStream& stream = Shell(
      "ls /proc/self/fd | tr '\\n' ' '; grep -E '^Sig(Ign|Blk)' /proc/self/status;"
      "cat /proc/self/oom_score_adj; nice; umask");
  EXPECT_EQ(stream.stdout_bytes,
            "0 1 2 3 SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n100\n0\n0022\n");
  signal(SIGUSR1, SIG_DFL);
}

TEST_F(ProcessesTest, LeadsASessionOfItsOwn) {
  TestStream& stream = Shell("set -- $(cat /proc/self/stat); echo $5 $6");
  std::string pid = std::to_string(stream.pid);
  EXPECT_EQ(stream.stdout_bytes, pid + " " + pid + "\n");
}

TEST_F(ProcessesTest, RefusesUsersItDoesNotKnow) {
  TestStream& stream = Shell("true", {{"Authorization", "Basic " + EncodeBase64("mallory:")}});
  EXPECT_EQ(stream.error_code(), "unauthenticated");
  EXPECT_EQ(stream.error_message(), "invalid username: 'mallory'");
  context_.default_user = "ghost";
  EXPECT_EQ(Shell("true").error_message(), "invalid default user: 'ghost'");
}

TEST_F(ProcessesTest, SaysWhyACommandCannotStart) {
  auto refused = [&](const std::string& message, const std::vector<Header>& headers = {}) {
    TestStream& stream = Finish(Open("Start", message, headers));
    EXPECT_EQ(stream.error_code(), "invalid_argument");
    EXPECT_EQ(stream.pid, 0);
    return stream.error_message();
  };
  EXPECT_EQ(refused(R"({"process":{"cmd":"ls","cwd":"/nowhere"}})"),
            "cwd '/nowhere' does not exist");
  EXPECT_EQ(refused(R"({"process":{"cmd":"/x","args":["a"]}})"),
            "error starting process '/x a': fork/exec /x: no such file or directory");
  EXPECT_EQ(refused(R"({"process":{"cmd":"no-such-tool"}})"),
            "error starting process 'no-such-tool': exec: \"no-such-tool\": executable file not "
            "found in $PATH");
  EXPECT_EQ(refused(R"({"process":{"cmd":"/etc/passwd"}})"),
            "error starting process '/etc/passwd': fork/exec /etc/passwd: permission denied");
  EXPECT_EQ(refused(R"({"process":{"cmd":"ls","cwd":"/etc/passwd"}})"),
            "error starting process 'ls': chdir /etc/passwd: not a directory");
  std::filesystem::create_directory(folder_ + "/closed");
  std::filesystem::permissions(folder_ + "/closed", std::filesystem::perms(0700));
  EXPECT_EQ(refused(R"({"process":{"cmd":"ls","cwd":")" + folder_ + R"(/closed"}})", kAsUser),
            "error starting process 'ls': chdir " + folder_ + "/closed: permission denied");
}

TEST_F(ProcessesTest, RefusesBadRequests) {
  for (const char* message :
       {"{}", R"({"process":{}})", R"({"process":{"cmd":""}})", R"({"process":{"cmd":5}})",
        R"({"process":{"cmd":"ls","args":["a\u0000b"]}})", R"({"process":{"cmd":"l\u0000s"}})",
        R"({"process":{"cmd":"ls","cwd":"/\u0000"}})",
        R"({"process":{"cmd":"ls","envs":{"A=B":"c"}}})",
        R"({"process":{"cmd":"ls","envs":{"":"c"}}})",
        R"({"process":{"cmd":"ls","envs":{"A":"\u0000"}}})", R"({"process":"ls"})", "[]", "{"}) {
    TestStream& stream = Finish(Open("Start", message));
    EXPECT_EQ(stream.error_code(), "invalid_argument") << message;
    EXPECT_EQ(stream.pid, 0) << message;
  }
}

TEST_F(ProcessesTest, IsExhaustedWhenDescriptorsRunOut) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  (void)Shell("true");  // the reaper's descriptor is there
  UniqueFd lowest(::dup(0));
  rlimit tight{static_cast<rlim_t>(lowest.get()) + 2, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  TestStream& stream = Shell("true");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(stream.error_code(), "resource_exhausted") << stream.error_message();
  EXPECT_TRUE(Shell("true").told_end());
}

TEST_F(ProcessesTest, ListsWhatRuns) {
  EXPECT_EQ(WriteJson(Call("List", "{}").body), R"({"processes":[]})");
  TestStream& stream = Open("Start", R"({"process":{"cmd":"sleep","args":["1000"],"envs":{"A":"b"},
                                        "cwd":"/"},"tag":"nap"})");
  RunUntil([&] { return stream.started(); });
  EXPECT_EQ(WriteJson(Call("List", "{}").body),
            R"({"processes":[{"config":{"cmd":"sleep","args":["1000"],"envs":{"A":"b"},"cwd":"/"},)"
            R"("pid":)" +
                std::to_string(stream.pid) + R"(,"tag":"nap"}]})");
  EXPECT_EQ(Call("SendSignal", R"({"process":{"tag":"nap"},"signal":"SIGNAL_SIGKILL"})").status,
            200);
  Finish(stream);
  EXPECT_EQ(WriteJson(Call("List", "{}").body), R"({"processes":[]})");
}

TEST_F(ProcessesTest, ALateReaderGetsOnlyWhatComesAfterIt) {
  TestStream& first = Open("Start", ShellRequest("echo before; read x; echo after", true));
  WaitForOutput(first, "before");
  TestStream& second = Open("Connect", "{" + Selector(first) + "}");
  RunUntil([&] { return second.started(); });
  EXPECT_EQ(second.pid, first.pid);
  EXPECT_EQ(Call("SendInput", Stdin(first, "x\n")).status, 200);
  Finish(first);
  Finish(second);
  EXPECT_EQ(first.stdout_bytes, "before\nafter\n");
  EXPECT_EQ(second.stdout_bytes, "after\n");
  EXPECT_EQ(second.process_end, first.process_end);
}

TEST_F(ProcessesTest, AReaderThatComesBackGoesOnWhereItWas) {
  TestStream& first = Open("Start", ShellRequest("printf 12345; read x; printf 678", true));
  WaitForOutput(first, "12345");
  TestStream& second = Open("Connect", "{" + Selector(first) + "}", {{"Viv-Output-Offset", "3"}});
  WaitForOutput(second, "45");
  EXPECT_EQ(Call("SendInput", Stdin(first, "\n")).status, 200);
  EXPECT_EQ(Finish(second).stdout_bytes, "45678");
  Finish(first);
  EXPECT_EQ(Finish(Open("Connect", "{" + Selector(first) + "}", {{"Viv-Output-Offset", "6"}}))
                .stdout_bytes,
            "78");
}

TEST_F(ProcessesTest, TellsTheEndToThoseWhoConnectAfterIt) {
  TestStream& first = Shell("echo x; exit 7");
  TestStream& late = Finish(Open("Connect", "{" + Selector(first) + "}"));
  EXPECT_EQ(late.stdout_bytes, "");
  EXPECT_EQ(late.process_end.at("exitCode"), 7);
  EXPECT_EQ(Call("SendSignal", "{" + Selector(first) + R"(,"signal":"SIGNAL_SIGKILL"})").code(),
            "not_found");
}

TEST_F(ProcessesTest, FindsNothingUnderOtherNames) {
  EXPECT_EQ(Finish(Open("Connect", R"({"process":{"pid":1}})")).error_message(),
            "process with pid 1 not found");
  EXPECT_EQ(Finish(Open("Connect", R"({"process":{"tag":"x"}})")).error_code(), "not_found");
  EXPECT_EQ(Finish(Open("Connect", "{}")).error_code(), "invalid_argument");
  for (const char* method : {"SendInput", "CloseStdin", "SendSignal", "Update"}) {
    EXPECT_EQ(Call(method, R"({"process":{"pid":4294967295}})").code(), "not_found") << method;
    EXPECT_EQ(Call(method, "{}").code(), "invalid_argument") << method;
    EXPECT_EQ(Call(method, R"({"process":{"pid":-1}})").code(), "invalid_argument") << method;
  }
}

TEST_F(ProcessesTest, SignalsTheWholeGroup) {
  TestStream& stream = OpenShell("sleep 1000 & echo $!; wait");
  WaitForOutput(stream, "\n");
  int child = std::stoi(stream.stdout_bytes);
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + R"(,"signal":15})").status, 200);
  EXPECT_EQ(Finish(stream).process_end.at("status"), "signal: terminated");
  // The child was orphaned and came to us: it is collected, too.
  RunUntil([&] { return ::kill(child, 0) != 0; });
}

TEST_F(ProcessesTest, RefusesSignalsThatNobodySends) {
  TestStream& stream = OpenShell("sleep 1000");
  RunUntil([&] { return stream.started(); });
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + "}").code(), "unimplemented");
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + R"(,"signal":1})").code(), "unimplemented");
  EXPECT_EQ(Call("SendSignal", "{" + Selector(stream) + R"(,"signal":"SIGHUP"})").code(),
            "invalid_argument");
  EXPECT_FALSE(stream.done);
}

TEST_F(ProcessesTest, WaitsForTheOutputOfBackgroundChildrenUnlessKilled) {
  std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0666), 0);
  std::filesystem::permissions(fifo, std::filesystem::perms(0666));
  TestStream& stream = OpenShell("(read x; echo late) < fifo & echo now", kAsUser);
  WaitForOutput(stream, "now");
  std::ofstream(fifo) << "go\n";
  EXPECT_EQ(Finish(stream).stdout_bytes, "now\nlate\n");

  TestStream& killed = OpenShell("setsid sleep 1000 & echo $!");
  WaitForOutput(killed, "\n");
  int child = std::stoi(killed.stdout_bytes);
  EXPECT_EQ(Call("SendSignal", "{" + Selector(killed) + R"(,"signal":"SIGNAL_SIGKILL"})").status,
            200);
  EXPECT_TRUE(Finish(killed).told_end());
  ::kill(child, SIGKILL);
}

TEST_F(ProcessesTest, KillsAtTheEndOfItsLifetime) {
  TestStream& stream = OpenShell("echo x; sleep 1000", {{"Connect-Timeout-Ms", "200"}});
  RunUntil([&] { return stream.started(); });
  TestStream& other = Open("Connect", "{" + Selector(stream) + "}");
  EXPECT_EQ(Finish(stream).error_code(), "deadline_exceeded");
  EXPECT_EQ(stream.stdout_bytes, "x\n");
  EXPECT_EQ(Finish(other).process_end.at("status"), "signal: killed");
  EXPECT_EQ(WriteJson(Call("List", "{}").body), R"({"processes":[]})");
}

TEST_F(ProcessesTest, AConnectsTimeoutEndsOnlyItsStream) {
  TestStream& stream = OpenShell("sleep 1000");
  RunUntil([&] { return stream.started(); });
  TestStream& other = Open("Connect", "{" + Selector(stream) + "}", {{"Connect-Timeout-Ms", "20"}});
  EXPECT_EQ(Finish(other).error_code(), "deadline_exceeded");
  EXPECT_FALSE(stream.done);
  EXPECT_NE(WriteJson(Call("List", "{}").body), R"({"processes":[]})");
}

TEST_F(ProcessesTest, LivesOnWhenItsClientLeaves) {
  TestStream& stream = Open("Start", ShellRequest("echo a; read x; exit 4", true));
  WaitForOutput(stream, "a");
  stream.cancel.emit(asio::cancellation_type::terminal);
  RunUntil([&] { return stream.done; });
  EXPECT_FALSE(stream.told_end());
  TestStream& again = Open("Connect", "{" + Selector(stream) + "}");
  EXPECT_EQ(Call("SendInput", Stdin(stream, "\n")).status, 200);
  EXPECT_EQ(Finish(again).process_end.at("exitCode"), 4);
}

TEST_F(ProcessesTest, KeepsAQuietStreamAlive) {
  TestStream& stream = OpenShell("sleep 1000", {{"Keepalive-Ping-Interval", "1"}});
  RunUntil([&] { return stream.keepalives > 0; });
}

TEST_F(ProcessesTest, LogsStartAndEnd) {
  TestStream& stream = Shell("exit 2", kAsUser);
  json::value logs = *ParseJson(context_.logs.Render());
  ASSERT_EQ(logs.at("logs").as_array().size(), 2u);
  const json::value& start = logs.at("logs").at(0);
  EXPECT_EQ(start.at("fields").at("event_type"), "process_start");
  EXPECT_EQ(start.at("fields").at("pid"), stream.pid);
  EXPECT_EQ(start.at("fields").at("user"), "user");
  EXPECT_EQ(logs.at("logs").at(1).at("fields").at("exitCode"), 2);
}

}  // namespace
}  // namespace viv::agent
