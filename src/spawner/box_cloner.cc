#include "spawner/box_cloner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "runtime/clone_request.h"
#include "runtime/contain.h"
#include "runtime/launcher.h"

namespace viv::spawner {
namespace {

using runtime::CloneRequest;
using runtime::Containment;
using runtime::Step;
using runtime::WireReply;

// Containment takes under a millisecond; a disk that hangs must not hang all further boxes.
constexpr int kContainTimeoutMs = 10'000;
constexpr int kEndTimeoutMs = 5'000;
constexpr int kTerminalsMax = 256;  // of the 4,096 that a kernel has by default

std::uint32_t FirstId(std::uint32_t slot) {
  return runtime::kFirstId + slot * runtime::kIdsPerBox;
}

CloneResult FailedClone(Step step, int error) {
  CloneResult result;
  result.reply = {step, error, -1};
  return result;
}

// Random, in the form of a version 4 UUID, with a line end: as the kernel shows its own.
std::string NewBootId() {
  unsigned char bytes[16] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return "";
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text + "\n";
}

// Owns the texts and lists that a Containment points to.
struct ContainmentData {
  std::vector<std::string> options;
  std::vector<Containment::OverlayMountOptions> overlays;
  std::vector<int> layers, tasks;
  std::string devices, terminals, boot_id;
  UniqueFd user_namespace, report_read, report_write;
};

void PrepareContainment(const CloneRequest& request,
                        std::uint32_t first_id,
                        ContainmentData& data) {
  std::size_t layer = 0;
  for (const runtime::RequestedOverlay& overlay : request.overlays) {
    data.options.push_back(runtime::OverlayOptions(overlay, layer));
    layer += overlay.layer_count;
  }
  for (std::size_t i = 0; i < request.overlays.size(); ++i)
    data.overlays.push_back({request.overlays[i].mount_point.c_str(), data.options[i].c_str()});
  for (const UniqueFd& fd : request.layers) data.layers.push_back(fd.get());
  for (const UniqueFd& fd : request.tasks_files) data.tasks.push_back(fd.get());
  data.devices = fmt::format("mode=755,uid={0},gid={0},size={1}", first_id, request.shm_bytes);
  // Group 5 is `tty` in Debian and most others.
  data.terminals =
      fmt::format("newinstance,ptmxmode=0666,mode=0620,gid={},max={}", first_id + 5, kTerminalsMax);
  data.boot_id = NewBootId();
}

Containment MakeContainment(const CloneRequest& request,
                            const ContainmentData& data,
                            std::uint32_t first_id) {
  Containment box;
  box.first_id = first_id;
  box.user_namespace = data.user_namespace.get();
  box.network = request.network.get();
  box.listener = request.listener.get();
  box.report = data.report_write.get();
  box.tasks_files = data.tasks.data();
  box.tasks_count = data.tasks.size();
  box.folder = request.folder.get();
  box.layers = data.layers.data();
  box.layer_count = data.layers.size();
  box.overlays = data.overlays.data();
  box.overlay_count = data.overlays.size();
  box.hostname = request.hostname.c_str();
  box.device_options = data.devices.c_str();
  box.terminal_options = data.terminals.c_str();
  box.boot_id = data.boot_id.c_str();
  return box;
}

// As fork: 0 in the child, negative on failure.
long CloneIntoNamespaces(const UniqueFd& v2_cgroup, UniqueFd& pidfd) {
  int number = -1;
  clone_args arguments{};
  arguments.flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&number);
  arguments.exit_signal = SIGCHLD;
  if (v2_cgroup) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = static_cast<std::uint64_t>(v2_cgroup.get());
  }
  long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid > 0) pidfd = UniqueFd(number);
  return pid;
}

bool WaitReadable(int fd, int timeout_ms) {
  pollfd waited{fd, POLLIN, 0};
  int ready;
  do ready = ::poll(&waited, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

WireReply ReadReport(int pipe) {
  WireReply report;
  if (!WaitReadable(pipe, kContainTimeoutMs)) return {Step::kTimedOut, ETIMEDOUT, -1};
  if (::read(pipe, &report, sizeof report) != sizeof report) return {Step::kDied, ECHILD, -1};
  return report;
}

// Kills a box that failed and waits for its end, so that nothing of it is left when the reply is
// sent.
void KillFailedBox(const UniqueFd& pidfd) {
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  WaitReadable(pidfd.get(), kEndTimeoutMs);
}

}  // namespace

void BoxCloner::PrepareNext() {
  users_.Preallocate(FirstId((last_slot_ + 1) % runtime::kSlotsMax));
}

CloneResult BoxCloner::Clone(runtime::Packet packet) {
  std::optional<CloneRequest> request = runtime::ReadCloneRequest(std::move(packet));
  if (!request) return FailedClone(Step::kClone, EINVAL);
  std::uint32_t first_id = FirstId(request->slot);
  last_slot_ = request->slot;

  ContainmentData data;
  PrepareContainment(*request, first_id, data);
  if (StepFailure failure = users_.Make(first_id, data.user_namespace); failure.step != Step::kNone)
    return FailedClone(failure.step, failure.error);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return FailedClone(Step::kClone, errno);
  data.report_read = UniqueFd(report[0]);
  data.report_write = UniqueFd(report[1]);
  Containment box = MakeContainment(*request, data, first_id);
  box.filter = &filter_;
  box.landlock = landlock_;

  CloneResult result;
  long pid = CloneIntoNamespaces(request->v2_cgroup, result.pidfd);
  if (pid < 0) return FailedClone(Step::kClone, errno);
  if (pid == 0) {
    int listener = runtime::Contain(box);
    // Every other descriptor is closed already, and its number may be anything's by now.
    runtime::ReleaseDescriptors(*request);
    for (UniqueFd* fd : {&data.user_namespace, &data.report_read, &data.report_write})
      fd->release();
    result.listener = UniqueFd(listener);
    return result;
  }
  data.report_write = UniqueFd();
  result.reply = ReadReport(data.report_read.get());
  result.reply.pid = static_cast<std::int32_t>(pid);
  if (result.reply.step != Step::kNone) {
    KillFailedBox(result.pidfd);
    result.pidfd = UniqueFd();
  }
  return result;
}

}  // namespace viv::spawner
