#include "agent/process/processes_test_support.h"

namespace viv::agent {
namespace {

class ProcessInputTest : public ProcessesFixture {
 protected:
  TestStream& OpenCat() {
    TestStream& stream = Open("Start", ShellRequest("cat", true));
    RunUntil([&] { return stream.started(); });
    return stream;
  }
};

TEST_F(ProcessInputTest, ReadsNothingWhereNoneIsWanted) {
  EXPECT_EQ(Shell("readlink /proc/self/fd/0; cat").stdout_bytes, "/dev/null\n");
}

TEST_F(ProcessInputTest, IsOpenUnlessToldOtherwise) {
  TestStream& stream = Open("Start", R"({"process":{"cmd":"cat"}})");
  RunUntil([&] { return stream.started(); });
  EXPECT_EQ(Call("SendInput", Stdin(stream, "hi")).status, 200);
  EXPECT_EQ(Call("CloseStdin", "{" + Selector(stream) + "}").status, 200);
  EXPECT_EQ(Finish(stream).stdout_bytes, "hi");
}

TEST_F(ProcessInputTest, RefusesInputAfterItsEnd) {
  TestStream& stream = OpenCat();
  EXPECT_EQ(Call("CloseStdin", "{" + Selector(stream) + "}").status, 200);
  UnaryAnswer answer = Call("SendInput", Stdin(stream, "x"));
  // The process may be gone by now.
  EXPECT_TRUE(answer.code() == "internal" || answer.code() == "not_found") << answer.code();
  Finish(stream);
}

TEST_F(ProcessInputTest, RefusesInputOfTheWrongKind) {
  TestStream& stream = OpenShell("sleep 1000");
  RunUntil([&] { return stream.started(); });
  UnaryAnswer closed = Call("SendInput", Stdin(stream, "x"));
  EXPECT_EQ(closed.code(), "internal");
  EXPECT_EQ(FindString(closed.body, "message"),
            "error writing to stdin: stdin not enabled or closed");
  EXPECT_EQ(Call("SendInput", "{" + Selector(stream) + R"(,"input":{"pty":"eA=="}})").code(),
            "internal");
  EXPECT_EQ(Call("SendInput", "{" + Selector(stream) + R"(,"input":{}})").code(), "unimplemented");
  EXPECT_EQ(Call("SendInput", "{" + Selector(stream) + R"(,"input":{"stdin":"%"}})").code(),
            "invalid_argument");
  EXPECT_EQ(
      Call("Update", "{" + Selector(stream) + R"(,"pty":{"size":{"cols":9,"rows":9}}})").code(),
      "internal");
}

TEST_F(ProcessInputTest, WritesMoreThanAPipeHoldsInOrder) {
  TestStream& stream = OpenCat();
  std::string sent;
  for (int i = 0; i < 4; ++i) {
    std::string part(200'000, static_cast<char>('a' + i));
    ASSERT_EQ(Call("SendInput", Stdin(stream, part)).status, 200);
    sent += part;
  }
  Call("CloseStdin", "{" + Selector(stream) + "}");
  EXPECT_TRUE(Finish(stream).stdout_bytes == sent);
}

TEST_F(ProcessInputTest, DoesNotWaitForeverForAProcessThatReadsNothing) {
  TestStream& stream = Open("Start", ShellRequest("sleep 1000", true));
  RunUntil([&] { return stream.started(); });
  std::string much(1024 * 1024, 'x');
  EXPECT_EQ(Call("SendInput", Stdin(stream, much), {{"Connect-Timeout-Ms", "20"}}).code(),
            "deadline_exceeded");
  EXPECT_FALSE(stream.done);
  EXPECT_EQ(Call("CloseStdin", "{" + Selector(stream) + "}").status, 200);
}

TEST_F(ProcessInputTest, SurvivesAProcessThatClosesItsInput) {
  TestStream& stream = Open("Start", ShellRequest("exec <&-; echo closed; sleep 1000", true));
  WaitForOutput(stream, "closed");
  UnaryAnswer answer = Call("SendInput", Stdin(stream, "x"));
  EXPECT_EQ(answer.code(), "internal");
  EXPECT_EQ(FindString(answer.body, "message"), "error writing to stdin: broken pipe");
}

TEST_F(ProcessInputTest, TakesAStreamOfInput) {
  TestStream& stream = OpenCat();
  auto event = [](const std::string& text) { return connect::WrapEnvelope(0, text); };
  http::Request request;
  request.method = "POST";
  request.path = "/process.Process/StreamInput";
  request.headers.Add("Content-Type", "application/connect+json");
  request.body = event(R"({"start":{)" + Selector(stream) + "}}") +
                 event(R"({"data":{"input":{"stdin":"YQ=="}}})") + event(R"({"keepalive":{}})") +
                 event(R"({"data":{"input":{"stdin":"Yg=="}}})");
  std::string answer;
  auto send = [&] {
    answer.clear();
    asio::co_spawn(io_, (*router_.Find("POST", request.path).handler)(request),
                   [&](std::exception_ptr, http::Response response) { answer = response.body; });
    RunUntil([&] { return !answer.empty(); });
  };
  send();
  EXPECT_EQ(answer, event("{}") + connect::WrapEnvelope(connect::kFlagEndStream, "{}"));
  WaitForOutput(stream, "ab");
  for (const char* body : {R"({"data":{"input":{"stdin":"YQ=="}}})", R"({"start":{}})"}) {
    request.body = event(body);
    send();
    EXPECT_NE(answer.find(R"("code":"invalid_argument")"), std::string::npos) << answer;
  }
  request.body = event(R"({"start":{"process":{"pid":1}}})");
  send();
  EXPECT_NE(answer.find(R"("code":"not_found")"), std::string::npos) << answer;
}

}  // namespace
}  // namespace viv::agent
