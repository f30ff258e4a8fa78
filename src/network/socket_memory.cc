#include "network/socket_memory.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <vector>

#include "base/errno_error.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "network/netlink.h"
#include "network/scoped_netns.h"

namespace viv::network {
namespace {

constexpr std::size_t kNetlinkTableMax = 64U << 20;  // half a million sockets
constexpr std::size_t kUnacceptedMax = 200'000;      // destroyed by one call

struct UnacceptedSocket {
  std::uint8_t family = 0;
  inet_diag_sockid id{};
  std::int64_t bytes = 0;
};

Result<std::string> ReadNetlinkTable() {
  UniqueFd file(open("/proc/thread-self/net/netlink", O_RDONLY | O_CLOEXEC));
  if (!file) return FailErrno(ErrorCode::kInternal, "read netlink");
  std::string text;
  char part[16384];
  for (;;) {
    ssize_t got = read(file.get(), part, sizeof part);
    if (got <= 0 || text.size() > kNetlinkTableMax) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

// Sockets without an inode belong to no process. In these states that means that they are not
// accepted yet.
Status ListUnaccepted(std::uint8_t family, std::vector<UnacceptedSocket>& found) {
  NetlinkBatch dump;
  dump.Begin("list connections", SOCK_DIAG_BY_FAMILY, NLM_F_DUMP);
  inet_diag_req_v2 wanted{};
  wanted.sdiag_family = family;
  wanted.sdiag_protocol = IPPROTO_TCP;
  wanted.idiag_states = 1U << TCP_ESTABLISHED | 1U << TCP_CLOSE_WAIT;
  dump.Body(&wanted, sizeof wanted);
  return DumpNetlink(NETLINK_SOCK_DIAG, dump, [&](std::string_view body) {
    inet_diag_msg message{};
    if (body.size() < sizeof message || found.size() >= kUnacceptedMax) return;
    memcpy(&message, body.data(), sizeof message);
    if (message.idiag_inode != 0 || message.idiag_rqueue == 0) return;
    found.push_back({family, message.id, message.idiag_rqueue});
  });
}

Result<std::vector<UnacceptedSocket>> ListUnaccepted() {
  std::vector<UnacceptedSocket> found;
  RETURN_IF_ERROR(ListUnaccepted(AF_INET, found));
  RETURN_IF_ERROR(ListUnaccepted(AF_INET6, found));
  return found;
}

}  // namespace

std::int64_t SumColumn(std::string_view table, std::string_view column) {
  auto fields = [](std::string_view line) {
    std::vector<std::string_view> words;
    for (std::string_view word : Split(line, ' '))
      if (!word.empty()) words.push_back(word);
    return words;
  };
  const auto lines = Split(table, '\n');
  if (lines.empty()) return 0;
  const auto head = fields(lines.front());
  std::size_t index = 0;
  while (index < head.size() && head[index] != column) ++index;
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto row = fields(lines[i]);
    std::int64_t number = 0;
    if (index < row.size())
      std::from_chars(row[index].data(), row[index].data() + row[index].size(), number);
    sum += number;
  }
  return sum;
}

Result<UnchargedMemory> ReadUnchargedMemory(int netns) {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::Enter(netns));
  UnchargedMemory memory;
  ASSIGN_OR_RETURN(std::string netlink, ReadNetlinkTable());
  memory.netlink_bytes = SumColumn(netlink, "Rmem");
  ASSIGN_OR_RETURN(auto unaccepted, ListUnaccepted());
  for (const UnacceptedSocket& socket : unaccepted) memory.unaccepted_bytes += socket.bytes;
  return memory;
}

Status DropUnaccepted(int netns) {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::Enter(netns));
  ASSIGN_OR_RETURN(auto unaccepted, ListUnaccepted());
  for (const UnacceptedSocket& socket : unaccepted) {
    NetlinkBatch destroy;
    destroy.Begin("end a connection", SOCK_DESTROY, NLM_F_ACK);
    inet_diag_req_v2 wanted{};
    wanted.sdiag_family = socket.family;
    wanted.sdiag_protocol = IPPROTO_TCP;
    wanted.id = socket.id;
    destroy.Body(&wanted, sizeof wanted);
    // It is fine if the socket was accepted or is gone by now.
    auto done = SendNetlink(NETLINK_SOCK_DIAG, destroy);
    if (!done && done.error().code == ErrorCode::kUnavailable) return done;
  }
  return {};
}

}  // namespace viv::network
