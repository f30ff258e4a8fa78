#pragma once
// The server's handle of one spawner: starts the program and sends requests to it. The destructor
// ends the program. Not thread-safe.

#include <linux/filter.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "runtime/wire.h"

namespace viv::runtime {

class SpawnerProcess {
 public:
  struct Options {
    std::string program;
    const std::vector<sock_filter>& filter;
    bool landlock = true;
  };
  static Result<std::unique_ptr<SpawnerProcess>> Start(const Options& options);
  ~SpawnerProcess();
  SpawnerProcess(const SpawnerProcess&) = delete;
  SpawnerProcess& operator=(const SpawnerProcess&) = delete;

  bool alive() const;  // false once the spawner has closed its socket

  struct Reply {
    WireReply wire;
    UniqueFd pidfd;
  };
  // An error means that the spawner is lost and has to be replaced. When the spawner could not make
  // the box, the reply says so.
  Result<Reply> SendRequest(const WireRequest& request, const std::vector<int>& descriptors);

 private:
  SpawnerProcess(pid_t pid, UniqueFd socket) : pid_(pid), socket_(std::move(socket)) {}
  Status SetUp(const Options& options);
  Result<Reply> Receive();

  pid_t pid_;
  UniqueFd socket_;
};

// "make a user namespace: Operation not permitted", and what to do where we know.
Error StepError(Step step, int error);

}  // namespace viv::runtime
