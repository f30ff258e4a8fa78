#include "agent/agent.h"

#include "agent/agent_test_support.h"
#include "rpc/connect/envelope.h"

namespace viv::agent {
namespace {

class AgentTest : public AgentFixture {
 protected:
  std::string RunShell(const std::string& script) {
    std::string message =
        R"({"process":{"cmd":"/bin/sh","args":["-c",")" + script + R"("]},"stdin":false})";
    return Ask("POST /process.Process/Start HTTP/1.1\r\nContent-Type: application/connect+json",
               connect::WrapEnvelope(0, message));
  }
};

TEST_F(AgentTest, ServesTheSocketItWasGiven) {
  EXPECT_TRUE(Ask("GET /health HTTP/1.1").starts_with("HTTP/1.1 204"));
  EXPECT_NE(Ask("GET /nowhere HTTP/1.1").find(R"({"code":404,)"), std::string::npos);
  EXPECT_NE(Ask("GET /logs HTTP/1.1").find(R"({"logs":[]})"), std::string::npos);
}

TEST_F(AgentTest, RunsCommandsAndSurvivesWhatTheySendIt) {
  std::string answer = RunShell("kill -TERM 1; kill -KILL 1; kill -HUP 1; echo $$");
  EXPECT_NE(answer.find(R"("exitCode":0)"), std::string::npos) << answer;
  EXPECT_TRUE(Ask("GET /health HTTP/1.1").starts_with("HTTP/1.1 204"));
}

TEST_F(AgentTest, CollectsOrphans) {
  // A child whose parent is gone ends; once its number is free, pid 1 has collected it.
  std::string answer =
      RunShell("sh -c 'sh -c : & echo $! > " + folder_ + "/orphan'; while kill -0 $(cat " +
               folder_ + "/orphan) 2>/dev/null; do :; done; echo gone");
  EXPECT_NE(answer.find(EncodeBase64("gone\n")), std::string::npos) << answer;
}

TEST_F(AgentTest, AsksForItsToken) {
  EXPECT_TRUE(Ask("POST /init HTTP/1.1", R"({"accessToken":"t"})").starts_with("HTTP/1.1 204"));
  EXPECT_TRUE(Ask("GET /envs HTTP/1.1").starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(Ask("GET /envs HTTP/1.1\r\nX-Access-Token: t").starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace viv::agent
