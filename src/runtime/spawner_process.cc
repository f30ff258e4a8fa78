#include "runtime/spawner_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errno_error.h"

namespace viv::runtime {
namespace {

// The spawner itself gives up on a box after ten seconds.
constexpr timeval kSpawnerTimeout{20, 0};
constexpr int kSpawnerSocket = 3;

// Attributes and actions of one posix_spawn.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // A session of its own: Ctrl-C in the server's terminal is for the server to handle.
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  Result<pid_t> Run(const std::string& program, int socket) {
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, 1, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, kSpawnerSocket);
    char name[] = "viv-agent", command[] = "spawner";
    char* arguments[] = {name, command, nullptr};
    char* environment[] = {nullptr};
    pid_t pid = -1;
    int error =
        ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments, environment);
    if (error != 0)
      return Fail(ErrorCode::kUnavailable, "start " + program + ": " + ErrnoMessage(error) +
                                               "; it is built beside viv and belongs there");
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string AdviceFor(Step step, int error) {
  if (error == EPERM && (step == Step::kUserNamespace || step == Step::kIdMap))
    return "run the server as root, outside of a container that forbids user namespaces";
  if (error == ENOSPC && step == Step::kUserNamespace)
    return "raise user.max_user_namespaces with sysctl";
  if (step == Step::kSpawnerMounts || step == Step::kSpawnerRoot)
    return "run the server as root, with CAP_SYS_ADMIN";
  if (step == Step::kLayers && (error == EINVAL || error == EOPNOTSUPP))
    return "keep the data folder and templates on ext4, XFS or btrfs and use Linux 5.19 or later: "
           "this file system has no id-mapped mounts";
  if (step == Step::kOverlays && error == ENODEV) return "load the overlay module";
  if (step == Step::kClone && error == EAGAIN)
    return "too many processes: raise kernel.pid_max or the server's pids limit";
  if (error == ENOSPC) return "a limit of the machine is reached, see `viv doctor`";
  return "";
}

}  // namespace

Error StepError(Step step, int error) {
  std::string advice = AdviceFor(step, error);
  ErrorCode code = error == EINVAL && step == Step::kClone ? ErrorCode::kInvalidArgument
                                                           : ErrorCode::kUnavailable;
  return {code, fmt::format("{}: {}{}{}", StepText(step), ErrnoMessage(error),
                            advice.empty() ? "" : "; ", advice)};
}

Result<std::unique_ptr<SpawnerProcess>> SpawnerProcess::Start(const Options& options) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return FailErrno(ErrorCode::kUnavailable, "make a socket");
  UniqueFd ours(pair[0]), theirs(pair[1]);
  if (theirs.get() == kSpawnerSocket) {
    // dup2 onto itself would keep the close-on-exec mark.
    UniqueFd moved(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, kSpawnerSocket + 1));
    std::swap(theirs, moved);
  }
  for (int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(ours.get(), SOL_SOCKET, option, &kSpawnerTimeout, sizeof kSpawnerTimeout);
  SpawnPlan plan;
  ASSIGN_OR_RETURN(pid_t pid, plan.Run(options.program, theirs.get()));
  std::unique_ptr<SpawnerProcess> spawner(new SpawnerProcess(pid, std::move(ours)));
  theirs = UniqueFd();
  RETURN_IF_ERROR(spawner->SetUp(options), "set up the spawner");
  return spawner;
}

Status SpawnerProcess::SetUp(const Options& options) {
  WireSetup setup;
  setup.landlock = options.landlock ? 1 : 0;
  setup.filter_count = static_cast<std::uint32_t>(options.filter.size());
  std::size_t filter_bytes = options.filter.size() * sizeof(sock_filter);
  std::vector<std::byte> bytes(sizeof setup + filter_bytes);
  std::memcpy(bytes.data(), &setup, sizeof setup);
  std::memcpy(bytes.data() + sizeof setup, options.filter.data(), filter_bytes);
  RETURN_IF_ERROR(SendPacket(socket_.get(), bytes.data(), bytes.size(), {}));
  ASSIGN_OR_RETURN(Reply reply, Receive());
  if (reply.wire.step != Step::kNone) return PassUp(StepError(reply.wire.step, reply.wire.error));
  return {};
}

bool SpawnerProcess::alive() const {
  pollfd hung_up{socket_.get(), 0, 0};
  return ::poll(&hung_up, 1, 0) == 0;
}

Result<SpawnerProcess::Reply> SpawnerProcess::Receive() {
  ASSIGN_OR_RETURN(Packet packet, ReceivePacket(socket_.get(), sizeof(WireReply)));
  Reply reply;
  if (packet.bytes.size() != sizeof reply.wire || packet.descriptors.size() > 1)
    return Fail(ErrorCode::kInternal, "the spawner answered in an unknown form");
  std::memcpy(&reply.wire, packet.bytes.data(), sizeof reply.wire);
  if (!packet.descriptors.empty()) reply.pidfd = std::move(packet.descriptors.front());
  return reply;
}

Result<SpawnerProcess::Reply> SpawnerProcess::SendRequest(const WireRequest& request,
                                                          const std::vector<int>& descriptors) {
  RETURN_IF_ERROR(SendPacket(socket_.get(), &request, sizeof request, descriptors));
  ASSIGN_OR_RETURN(Reply reply, Receive());
  if (reply.wire.step == Step::kNone && !reply.pidfd)
    return Fail(ErrorCode::kInternal, "the spawner named no process");
  return reply;
}

SpawnerProcess::~SpawnerProcess() {
  // A healthy spawner ends when its socket closes. It is killed as well, because one that hangs in
  // a mount would block us; it has no state to lose.
  socket_ = UniqueFd();
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace viv::runtime
