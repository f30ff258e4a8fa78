// The whole agent as pid 1 of a process namespace, asked over its socket.

#include "agent/agent.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <filesystem>

#include "base/base64.h"
#include "rpc/connect/envelope.h"

namespace viv::agent {
namespace {

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    char pattern[] = "/tmp/viv-agent-run-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    address_.sun_family = AF_UNIX;
    std::snprintf(address_.sun_path, sizeof address_.sun_path, "%s/s", folder_.c_str());
    UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(listener.get(), Address(), sizeof address_), 0);
    EXPECT_EQ(::listen(listener.get(), 16), 0);
    agent_ = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0));
    if (agent_ == 0) agent::Run(std::move(listener));
  }
  ~AgentTest() override {
    ::kill(agent_, SIGKILL);
    ::waitpid(agent_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  const sockaddr* Address() const { return reinterpret_cast<const sockaddr*>(&address_); }

  // The whole answer to one request on a connection of its own.
  std::string Ask(const std::string& head, const std::string& body = "") {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), Address(), sizeof address_), 0);
    std::string request = head + "\r\nHost: box\r\nConnection: close\r\nAuthorization: Basic " +
                          EncodeBase64("root:") +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string answer;
    char buffer[4096];
    for (ssize_t count; (count = ::read(socket.get(), buffer, sizeof buffer)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(count));
    }
    return answer;
  }
  std::string RunShell(const std::string& script) {
    std::string message =
        R"({"process":{"cmd":"/bin/sh","args":["-c",")" + script + R"("]},"stdin":false})";
    return Ask("POST /process.Process/Start HTTP/1.1\r\nContent-Type: application/connect+json",
               connect::WrapEnvelope(0, message));
  }

  std::string folder_;
  sockaddr_un address_{};
  pid_t agent_ = -1;
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
