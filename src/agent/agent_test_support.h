#pragma once
// The whole agent as pid 1 of a process namespace, asked over its socket.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "agent/agent.h"
#include "base/base64.h"
#include "http/server_test_support.h"

namespace viv::agent {

class AgentFixture : public ::testing::Test {
 protected:
  AgentFixture() {
    char pattern[] = "/tmp/viv-agent-run-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    address_.sun_family = AF_UNIX;
    std::snprintf(address_.sun_path, sizeof address_.sun_path, "%s/s", folder_.c_str());
    UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(listener.get(), Address(), sizeof address_), 0);
    EXPECT_EQ(::listen(listener.get(), 16), 0);
    agent_ =
        static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0));
    if (agent_ != 0) return;
    // As in a box, /proc shows what is in the namespace.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("proc", "/proc", "proc", 0, nullptr) != 0) {
      ::_exit(1);
    }
    agent::Run(std::move(listener));
  }
  ~AgentFixture() override {
    ::kill(agent_, SIGKILL);
    ::waitpid(agent_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  const sockaddr* Address() const { return reinterpret_cast<const sockaddr*>(&address_); }

  http::RawClient Connect() {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), Address(), sizeof address_), 0);
    return http::RawClient(std::move(socket));
  }

  // The whole response to one request on a connection of its own.
  std::string Ask(const std::string& head, const std::string& body = "") {
    http::RawClient client = Connect();
    std::string request = head + "\r\nHost: box\r\nConnection: close\r\nAuthorization: Basic " +
                          EncodeBase64("root:") +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    client.Send(request);
    return client.ReadToEnd();
  }

  std::string folder_;
  sockaddr_un address_{};
  pid_t agent_ = -1;
};

}  // namespace viv::agent
