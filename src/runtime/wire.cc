#include "runtime/wire.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/errno_error.h"

namespace viv::runtime {
namespace {

constexpr std::size_t kWireDescriptorsMax = 253;  // the kernel's limit per packet

}  // namespace

Status SendPacket(int socket,
                  const void* bytes,
                  std::size_t size,
                  const std::vector<int>& descriptors) {
  if (descriptors.size() > kWireDescriptorsMax)
    return Fail(ErrorCode::kInvalidArgument, "too many descriptors for one packet");
  iovec part{const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(kWireDescriptorsMax * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    std::size_t length = descriptors.size() * sizeof(int);
    std::memset(control, 0, CMSG_SPACE(length));
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(length);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(length);
    std::memcpy(CMSG_DATA(header), descriptors.data(), length);
  }
  ssize_t sent;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return FailErrno(ErrorCode::kUnavailable, "send a packet");
  return {};
}

Result<Packet> ReceivePacket(int socket, std::size_t size_max) {
  Packet packet;
  packet.bytes.resize(size_max);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kWireDescriptorsMax * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t received;
  do received = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received < 0) return FailErrno(ErrorCode::kUnavailable, "receive a packet");
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::vector<int> numbers(count);
    std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
    for (int number : numbers) packet.descriptors.emplace_back(number);
  }
  if (received == 0) return Fail(ErrorCode::kUnavailable, "the other side is gone");
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return Fail(ErrorCode::kInternal, "a packet was cut off");
  packet.bytes.resize(static_cast<std::size_t>(received));
  return packet;
}

const char* StepText(Step step) {
  switch (step) {
    case Step::kNone:
      return "none";
    case Step::kSpawnerMounts:
      return "enter a mount namespace";
    case Step::kSpawnerRoot:
      return "make the spawner's empty root";
    case Step::kUserNamespace:
      return "make a user namespace";
    case Step::kIdMap:
      return "map its users and groups";
    case Step::kClone:
      return "clone into new namespaces";
    case Step::kSession:
      return "start a session";
    case Step::kCgroups:
      return "join its control groups";
    case Step::kCgroupNamespace:
      return "make a control group namespace";
    case Step::kNetwork:
      return "enter its network namespace";
    case Step::kHostCapabilities:
      return "drop most capabilities of host root";
    case Step::kLayers:
      return "map the owners of its layers";
    case Step::kOverlays:
      return "mount its overlays";
    case Step::kDevices:
      return "make /dev";
    case Step::kProc:
      return "mount /proc";
    case Step::kProcMasks:
      return "hide parts of /proc";
    case Step::kBootId:
      return "set its boot id";
    case Step::kEnterRoot:
      return "enter its root";
    case Step::kHostname:
      return "set its host name";
    case Step::kOomScore:
      return "set its priority when memory is short";
    case Step::kResourceLimits:
      return "set resource limits";
    case Step::kKeyring:
      return "take a new keyring";
    case Step::kIdentity:
      return "become its root";
    case Step::kBoundingSet:
      return "bound its capabilities";
    case Step::kLandlock:
      return "set Landlock rules";
    case Step::kSeccomp:
      return "load the system call filter";
    case Step::kCapabilities:
      return "drop capabilities";
    case Step::kDescriptors:
      return "close descriptors";
    case Step::kDied:
      return "stay alive until contained";
    case Step::kTimedOut:
      return "be contained in time";
  }
  return "unknown";
}

}  // namespace viv::runtime
