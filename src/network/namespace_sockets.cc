// Sockets inside a namespace: they are opened by a thread that enters it, and used from anywhere.

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <string>

#include "base/errno_error.h"
#include "network/address.h"
#include "network/namespaces.h"
#include "network/scoped_netns.h"

namespace viv::network {
namespace {

constexpr int kBacklog = 512;

tl::unexpected<Error> NamespaceSocketError(const char* doing, std::uint16_t port, int number) {
  ErrorCode code = number == EADDRINUSE ? ErrorCode::kConflict : ErrorCode::kInternal;
  return FailErrno(
      code, std::string(doing) + " port " + std::to_string(port) + " inside a network namespace",
      number);
}

// Binds one socket for both families, or for IPv4 alone on a machine without IPv6, in the calling
// thread's namespace.
Result<UniqueFd> BindInCurrentNamespace(int type, std::uint16_t port) {
  SocketAddress any = ToSocketAddress({Address{}, port});
  UniqueFd fd(socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd) {
    int off = 0;
    if (setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)
      return NamespaceSocketError("open both families on", port, errno);
  } else {
    // Redirected datagrams arrive at 127.0.0.1, and replies must leave from there.
    any = ToSocketAddress({*ParseAddress(type == SOCK_DGRAM ? "127.0.0.1" : "0.0.0.0"), port});
    fd = UniqueFd(socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return NamespaceSocketError("open a socket for", port, errno);
  }
  // Only for TCP, where it ignores the remains of old connections. For UDP it would let a process
  // of the box share the port.
  int on = 1;
  if (type == SOCK_STREAM) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted sockets inherit these. A transparent socket may have any local address.
  if (type == SOCK_STREAM) {
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (setsockopt(fd.get(), SOL_IP, IP_TRANSPARENT, &on, sizeof on) != 0)
      return NamespaceSocketError("make transparent", port, errno);
  }
  if (bind(fd.get(), any.get(), any.size) != 0) return NamespaceSocketError("bind", port, errno);
  if (type == SOCK_STREAM && listen(fd.get(), kBacklog) != 0)
    return NamespaceSocketError("listen on", port, errno);
  return fd;
}

Result<UniqueFd> OpenSocketInNamespace(int netns, int family, std::uint16_t port) {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::Enter(netns));
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return NamespaceSocketError("open a socket for", port, errno);
  return fd;
}

// A connection to an ephemeral port on which nobody listens can connect to itself.
bool IsConnectedToItself(int fd) {
  SocketAddress here, there;
  if (getsockname(fd, here.get(), &here.size) != 0) return false;
  if (getpeername(fd, there.get(), &there.size) != 0) return false;
  return FromSocketAddress(here) == FromSocketAddress(there);
}

Result<UniqueFd> DialAddressInNamespace(int netns, std::string_view address, std::uint16_t port) {
  Endpoint endpoint{*ParseAddress(address), port};
  SocketAddress to = ToSocketAddress(endpoint);
  ASSIGN_OR_RETURN(UniqueFd fd, OpenSocketInNamespace(netns, to.get()->sa_family, port));
  int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int failure = connect(fd.get(), to.get(), to.size) == 0 ? 0 : errno;
  if (failure == EINPROGRESS) {
    // Loopback connects are immediate, unless the listener's queue is full.
    pollfd wait{fd.get(), POLLOUT, 0};
    if (poll(&wait, 1, 0) != 1)
      return Fail(ErrorCode::kUnavailable,
                  "port " + std::to_string(port) + " of the box does not accept; try again later");
    socklen_t size = sizeof failure;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0) failure = errno;
  }
  if (failure == 0 && IsConnectedToItself(fd.get())) failure = ECONNREFUSED;
  if (failure == ECONNREFUSED)
    return Fail(ErrorCode::kNotFound, "nobody listens on port " + std::to_string(port));
  if (failure != 0) return NamespaceSocketError("connect to", port, failure);
  return fd;
}

}  // namespace

Result<EgressListeners> OpenEgressListeners(int netns) {
  ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::Enter(netns));
  ASSIGN_OR_RETURN(UniqueFd tcp, BindInCurrentNamespace(SOCK_STREAM, kTcpListenerPort),
                   "open the TCP listener");
  ASSIGN_OR_RETURN(UniqueFd dns, BindInCurrentNamespace(SOCK_DGRAM, kDnsListenerPort),
                   "open the DNS listener");
  return EgressListeners{std::move(tcp), std::move(dns)};
}

Result<UniqueFd> DialInNamespace(int netns, std::uint16_t port) {
  // A service may have bound only the box's own address.
  for (std::string_view address : {std::string_view("127.0.0.1"), std::string_view("::1")}) {
    auto fd = DialAddressInNamespace(netns, address, port);
    if (fd || fd.error().code == ErrorCode::kUnavailable) return fd;
  }
  return DialAddressInNamespace(netns, kBoxAddress, port);
}

}  // namespace viv::network
