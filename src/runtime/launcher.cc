#include "runtime/launcher.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "runtime/launch_packet.h"
#include "runtime/machine.h"
#include "runtime/process.h"
#include "runtime/seccomp_filter.h"
#include "runtime/spawner_process.h"

namespace viv::runtime {

// `free_` holds the idle spawners. A launch takes one out, uses it alone and puts it back. In place
// of a lost spawner nullptr is put back, and the launch that takes it starts a new one.
class Launcher::Impl {
 public:
  Impl(LauncherOptions options, std::vector<sock_filter> filter)
      : options_(std::move(options)), filter_(std::move(filter)) {}

  Status StartAll() {
    for (std::size_t i = 0; i < options_.spawners; ++i) {
      ASSIGN_OR_RETURN(auto spawner, StartOne());
      free_.push_back(std::move(spawner));
    }
    return {};
  }

  void ReapDeadSpawners() {
    std::vector<std::unique_ptr<SpawnerProcess>> lost;
    std::lock_guard lock(mutex_);
    for (auto& spawner : free_) {
      if (spawner == nullptr || spawner->alive()) continue;
      log::Warn("spawner.lost", {{"error", "it ended"}});
      lost.push_back(std::move(spawner));
    }
  }

  Result<SpawnerProcess::Reply> SendRequest(const LaunchPacket& packet) {
    std::unique_ptr<SpawnerProcess> spawner = Take();
    auto reply = SendRequestTo(spawner, packet);
    Return(std::move(spawner));
    return reply;
  }

 private:
  Result<std::unique_ptr<SpawnerProcess>> StartOne() {
    return SpawnerProcess::Start(
        {.program = options_.agent, .filter = filter_, .landlock = options_.landlock});
  }

  Result<SpawnerProcess::Reply> SendRequestTo(std::unique_ptr<SpawnerProcess>& spawner,
                                              const LaunchPacket& packet) {
    if (spawner == nullptr || !spawner->alive()) {
      ASSIGN_OR_RETURN(spawner, StartOne());
    }
    auto reply = spawner->SendRequest(packet.wire, packet.descriptors);
    if (!reply) {
      log::Error("spawner.lost", {{"error", reply.error().message}});
      spawner = nullptr;
    }
    return reply;
  }

  std::unique_ptr<SpawnerProcess> Take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return !free_.empty(); });
    std::unique_ptr<SpawnerProcess> spawner = std::move(free_.back());
    free_.pop_back();
    return spawner;
  }

  void Return(std::unique_ptr<SpawnerProcess> spawner) {
    {
      std::lock_guard lock(mutex_);
      free_.push_back(std::move(spawner));
    }
    returned_.notify_one();
  }

  LauncherOptions options_;
  std::vector<sock_filter> filter_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<SpawnerProcess>> free_;
};

Launcher::Launcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Launcher::~Launcher() = default;

Result<std::unique_ptr<Launcher>> Launcher::Start(LauncherOptions options) {
  if (options.spawners == 0) return Fail(ErrorCode::kInvalidArgument, "launcher: no spawners");
  for (const MachineCheck& check : ProbeMachine(options.agent)) {
    if (check.state != MachineCheck::State::kMissing) continue;
    return Fail(ErrorCode::kUnavailable, check.name + ": " + check.finding + "; " + check.advice);
  }
  ASSIGN_OR_RETURN(std::vector<sock_filter> filter, CompileBoxFilter());
  auto impl = std::make_unique<Impl>(std::move(options), std::move(filter));
  RETURN_IF_ERROR(impl->StartAll());
  return std::unique_ptr<Launcher>(new Launcher(std::move(impl)));
}

void Launcher::ReapDeadSpawners() {
  impl_->ReapDeadSpawners();
}

Result<BoxProcess> Launcher::Launch(const BoxLaunchRequest& request) {
  ASSIGN_OR_RETURN(LaunchPacket packet, PrepareLaunch(request));
  ASSIGN_OR_RETURN(SpawnerProcess::Reply reply, impl_->SendRequest(packet), "start a box");
  if (reply.wire.step != Step::kNone)
    return PassUp(StepError(reply.wire.step, reply.wire.error), "start a box");
  BoxProcess process;
  process.pid = reply.wire.pid;
  process.pidfd = std::move(reply.pidfd);
  ASSIGN_OR_RETURN(process.start_time, ReadStartTime(process.pid), "start a box");
  return process;
}

}  // namespace viv::runtime
