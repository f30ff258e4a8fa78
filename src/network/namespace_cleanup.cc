#include "network/namespace_cleanup.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/errno_error.h"
#include "base/unique_fd.h"
#include "network/netlink.h"
#include "network/scoped_netns.h"

namespace viv::network {
namespace {

// Reads a /proc file of the calling thread's namespace. It is short when the namespace is clean.
Result<std::string> ReadNetFile(const char* name) {
  std::string path = std::string("/proc/thread-self/net/") + name;
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  ssize_t got = fd ? read(fd.get(), text.data(), text.size()) : -1;
  if (got < 0) return FailErrno(ErrorCode::kInternal, "read " + path);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

// The number after `word` in the line that starts with `line`; -1 if there is none.
long NumberAfter(std::string_view text, std::string_view line, std::string_view word) {
  std::size_t at = text.find(line);
  if (at == std::string_view::npos) return -1;
  text = text.substr(at, text.find('\n', at) - at);
  at = text.find(word);
  if (at == std::string_view::npos) return -1;
  text.remove_prefix(at + word.size());
  long value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Destroys TCP sockets in TIME_WAIT and FIN_WAIT2 that belong to no process.
Status DestroyOrphanedSockets(std::uint8_t family) {
  NetlinkBatch dump;
  dump.Begin("list waiting sockets", SOCK_DIAG_BY_FAMILY, NLM_F_DUMP);
  inet_diag_req_v2 wanted{};
  wanted.sdiag_family = family;
  wanted.sdiag_protocol = IPPROTO_TCP;
  wanted.idiag_states = 1U << TCP_TIME_WAIT | 1U << TCP_FIN_WAIT2;
  dump.Body(&wanted, sizeof wanted);
  std::vector<inet_diag_sockid> found;
  RETURN_IF_ERROR(DumpNetlink(NETLINK_SOCK_DIAG, dump, [&](std::string_view body) {
    inet_diag_msg message{};
    if (body.size() < sizeof message) return;
    memcpy(&message, body.data(), sizeof message);
    if (message.idiag_inode == 0) found.push_back(message.id);
  }));
  for (const inet_diag_sockid& id : found) {
    NetlinkBatch destroy;
    destroy.Begin("destroy a waiting socket", SOCK_DESTROY, NLM_F_ACK);
    wanted.id = id;
    destroy.Body(&wanted, sizeof wanted);
    // It is fine if the socket is gone by now. A socket that could not be destroyed shows up in the
    // count.
    if (auto done = SendNetlink(NETLINK_SOCK_DIAG, destroy);
        !done && done.error().code == ErrorCode::kUnavailable)
      return done;
  }
  return {};
}

Status FlushConntrack() {
  NetlinkBatch flush;
  flush.Begin("flush connection tracking", NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE,
              NLM_F_ACK);
  nfgenmsg all{};
  all.nfgen_family = AF_UNSPEC;
  all.version = NFNETLINK_V0;
  flush.Body(&all, sizeof all);
  return SendNetlink(NETLINK_NETFILTER, flush);
}

Result<bool> HasSockets() {
  // "used" counts every socket that a process opened here, of any family, bound or not.
  ASSIGN_OR_RETURN(std::string sockstat, ReadNetFile("sockstat"));
  if (NumberAfter(sockstat, "sockets:", "used ") != 0) return true;
  if (NumberAfter(sockstat, "TCP:", " tw ") != 0) return true;
  ASSIGN_OR_RETURN(std::string unix_sockets, ReadNetFile("unix"));
  // The first line is a heading.
  return std::count(unix_sockets.begin(), unix_sockets.end(), '\n') > 1;
}

}  // namespace

Result<bool> CleanNamespace(int netns) {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::Enter(netns));
  ASSIGN_OR_RETURN(bool busy, HasSockets());
  if (busy) {
    RETURN_IF_ERROR(DestroyOrphanedSockets(AF_INET));
    RETURN_IF_ERROR(DestroyOrphanedSockets(AF_INET6));
    ASSIGN_OR_RETURN(busy, HasSockets());
  }
  if (busy) return false;
  RETURN_IF_ERROR(FlushConntrack());
  return true;
}

}  // namespace viv::network
