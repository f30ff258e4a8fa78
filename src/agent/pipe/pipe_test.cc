#include "agent/pipe/pipe.h"

#include <gmock/gmock.h>

#include <thread>

#include "agent/agent_test_support.h"
#include "base/json.h"
#include "base/text.h"

namespace viv::agent {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PipeTest : public AgentFixture {
 protected:
  static std::string PipeTarget(const json::array& argv, const std::string& more = "&user=root") {
    return "/pipe?argv=" + PercentEncode(WriteJson(argv)) + more;
  }
  static json::array Script(const std::string& script) { return {"/bin/sh", "-c", script}; }
  std::string Pipe(const json::array& argv,
                   const std::string& body,
                   const std::string& more = "&user=root") {
    return Ask("POST " + PipeTarget(argv, more) + " HTTP/1.1", body);
  }
  static std::string ChunkedHead(const std::string& target) {
    return "POST " + target + " HTTP/1.1\r\nHost: box\r\nTransfer-Encoding: chunked\r\n\r\n";
  }
};

// The bytes of a chunked answer, and whether its last chunk came.
struct Unchunked {
  std::string bytes;
  bool whole = false;
};
Unchunked Unchunk(std::string_view answer) {
  Unchunked result;
  std::size_t at = answer.find("\r\n\r\n");
  std::string_view rest = at == std::string_view::npos ? "" : answer.substr(at + 4);
  while (!rest.empty()) {
    std::size_t size = std::strtoul(std::string(rest.substr(0, 16)).c_str(), nullptr, 16);
    std::size_t begin = rest.find("\r\n");
    if (begin == std::string_view::npos) break;
    result.whole = size == 0;
    if (size == 0) break;
    result.bytes += rest.substr(begin + 2, size);
    rest.remove_prefix(std::min(rest.size(), begin + 2 + size + 2));
  }
  return result;
}

TEST_F(PipeTest, TheBodyGoesInAndTheOutputComesOut) {
  std::string answer = Pipe({"tr", "a-z", "A-Z"}, "some text");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("application/octet-stream"));
  Unchunked output = Unchunk(answer);
  EXPECT_EQ(output.bytes, "SOME TEXT");
  EXPECT_TRUE(output.whole);
}

TEST_F(PipeTest, RunsInItsFolderAsItsUser) {
  Unchunked output = Unchunk(Pipe(Script("pwd; id -un; cat"), "", "&user=root&folder=" + folder_));
  EXPECT_EQ(output.bytes, folder_ + "\nroot\n");
}

TEST_F(PipeTest, AProgramWithoutOutputThatSucceedsIsAnEmptyResponse) {
  std::string answer = Pipe({"true"}, "");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_TRUE(Unchunk(answer).whole);
}

TEST_F(PipeTest, BytesOfAnyKindAndLengthGoBothWaysWhileTheyCome) {
  http::RawClient client = Connect();
  std::string block;
  for (int i = 0; i < 100'000; ++i) block += static_cast<char>(i * 31);
  std::thread sender([&] {
    client.Send("POST " + PipeTarget({"cat"}) + " HTTP/1.1\r\nHost: box\r\nConnection: close\r\n" +
                "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 200; ++i) client.Send("186a0\r\n" + block + "\r\n");
    client.Send("0\r\n\r\n");
  });
  Unchunked output = Unchunk(client.ReadToEnd());
  sender.join();
  EXPECT_TRUE(output.whole);
  ASSERT_EQ(output.bytes.size(), 200 * block.size());
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(output.bytes.compare(i * block.size(), block.size(), block), 0) << i;
  }
}

TEST_F(PipeTest, TheResponseBeginsBeforeTheBodyEnds) {
  http::RawClient client = Connect();
  client.Send(ChunkedHead(PipeTarget({"cat"})) + "5\r\nfirst\r\n");
  EXPECT_THAT(client.ReadThrough("first"), HasSubstr("HTTP/1.1 200"));
  client.Send("6\r\nsecond\r\n0\r\n\r\n");
  EXPECT_THAT(client.ReadThrough("0\r\n\r\n"), HasSubstr("second"));
}

TEST_F(PipeTest, FailingBeforeAnyOutputSaysWhy) {
  std::string answer = Pipe(Script("cat >/dev/null; echo 'no archive' >&2; exit 3"), "x");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 422 "));
  EXPECT_THAT(answer, EndsWith(R"({"code":422,"message":"no archive"})"));
  EXPECT_THAT(Pipe(Script("exit 3"), ""), EndsWith(R"("the program ended with exit status 3"})"));
  EXPECT_THAT(Pipe(Script("kill -9 $$"), ""),
              EndsWith(R"("the program ended with signal: killed"})"));
}

TEST_F(PipeTest, OfALongStandardErrorTheBeginningIsReturned) {
  std::string answer = Pipe(Script("echo begin >&2; yes x | head -c 100000 >&2; exit 1"), "");
  EXPECT_THAT(answer, HasSubstr("begin"));
  EXPECT_LT(answer.size(), 10'000u);
}

TEST_F(PipeTest, FailingAfterOutputCutsTheResponse) {
  std::string answer = Pipe(Script("echo part; exit 1"), "");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_FALSE(Unchunk(answer).whole);
}

TEST_F(PipeTest, AProgramThatReadsNothingStillAnswers) {
  http::RawClient client = Connect();
  client.Send("POST " + PipeTarget(Script("echo full >&2; exit 1")) +
              " HTTP/1.1\r\nHost: box\r\nContent-Length: 100000000\r\n\r\n");
  client.Send(std::string(100'000, 'x'));
  EXPECT_THAT(client.ReadThrough("}"), HasSubstr(R"("message":"full")"));
}

TEST_F(PipeTest, ABodyThatBreaksOffKillsTheProgram) {
  std::string mark = folder_ + "/ended";
  {
    http::RawClient client = Connect();
    client.Send(ChunkedHead(PipeTarget(Script("echo started; cat >/dev/null; touch " + mark))) +
                "5\r\npiece\r\n");
    client.ReadThrough("started");
  }
  while (Ask("GET /activity HTTP/1.1").find(R"("running":0)") == std::string::npos) {
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(PipeTest, ACallerThatHangsUpKillsTheProgram) {
  {
    http::RawClient client = Connect();
    client.Send("POST " + PipeTarget(Script("touch " + folder_ + "/up; exec sleep 1000")) +
                " HTTP/1.1\r\nHost: box\r\nContent-Length: 0\r\n\r\n");
    while (!std::filesystem::exists(folder_ + "/up")) {
    }
    EXPECT_THAT(Ask("GET /activity HTTP/1.1"), HasSubstr(R"("running":1)"));
  }
  while (Ask("GET /activity HTTP/1.1").find(R"("running":0)") == std::string::npos) {
  }
}

TEST_F(PipeTest, RefusesWhatCannotRun) {
  EXPECT_THAT(Pipe({"/no/such/program"}, "x"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Pipe({"cat"}, "x", "&user=nobody-here"), HasSubstr("does not exist"));
  EXPECT_THAT(Pipe({"cat"}, "x", "&user=root&folder=/no/such"), StartsWith("HTTP/1.1 400 "));
  for (const char* target : {"/pipe", "/pipe?argv=", "/pipe?argv=cat", "/pipe?argv=[]",
                             "/pipe?argv=[1]", "/pipe?argv=[%22%22]", "/pipe?argv={}"}) {
    EXPECT_THAT(Ask(std::string("POST ") + target + " HTTP/1.1", "x"),
                HasSubstr("argv must be a JSON list"))
        << target;
  }
}

}  // namespace
}  // namespace viv::agent
