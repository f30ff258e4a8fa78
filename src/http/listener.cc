#include "http/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include <boost/asio/ip/address.hpp>

namespace viv::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

tl::unexpected<Error> ListenError(const tcp::endpoint& endpoint, const error_code& error) {
  std::string place = endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
  return Fail(ErrorCode::kUnavailable, "listen on " + place + ": " + error.message());
}

int ListenerOption(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

// Of an Internet address; anything else is left as it was.
tcp::endpoint ToTcp(const StreamEndpoint& endpoint) {
  tcp::endpoint address;
  int family = endpoint.data()->sa_family;
  if ((family == AF_INET || family == AF_INET6) && endpoint.size() <= address.capacity()) {
    address.resize(endpoint.size());
    std::memcpy(address.data(), endpoint.data(), endpoint.size());
  }
  return address;
}

}  // namespace

Result<tcp::endpoint> ResolveListen(const std::string& host, std::uint16_t port) {
  asio::io_context io;
  tcp::resolver resolver(io);
  error_code error;
  auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "resolve " + host + ": " + error.message());
  }
  // "localhost" has two addresses; IPv4 is the one that everybody tries.
  for (const auto& entry : found) {
    if (entry.endpoint().protocol() == tcp::v4()) return entry.endpoint();
  }
  return found.begin()->endpoint();
}

Result<StreamAcceptor> OpenListener(asio::io_context& io,
                                    const tcp::endpoint& endpoint,
                                    PortUse use) {
  error_code error;
  StreamAcceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(StreamAcceptor::reuse_address(true), error);
  if (!error && use == PortUse::kShared) {
    using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
    acceptor.set_option(ReusePort(true), error);
  }
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return ListenError(endpoint, error);
  return acceptor;
}

Result<StreamAcceptor> AdoptListener(asio::io_context& io, UniqueFd fd) {
  if (ListenerOption(fd.get(), SO_TYPE) != SOCK_STREAM ||
      ListenerOption(fd.get(), SO_ACCEPTCONN) != 1) {
    return Fail(ErrorCode::kInvalidArgument, "the inherited descriptor is no listening socket");
  }
  asio::generic::stream_protocol protocol(ListenerOption(fd.get(), SO_DOMAIN),
                                          ListenerOption(fd.get(), SO_PROTOCOL));
  error_code error;
  StreamAcceptor acceptor(io);
  acceptor.assign(protocol, fd.get(), error);
  if (error) {
    return Fail(ErrorCode::kInternal, "watch the inherited listening socket: " + error.message());
  }
  fd.release();
  return acceptor;
}

std::uint16_t PortOf(const StreamAcceptor& acceptor) {
  error_code error;
  StreamEndpoint endpoint = acceptor.local_endpoint(error);
  return error ? 0 : ToTcp(endpoint).port();
}

std::string AddressText(const StreamEndpoint& endpoint) {
  int family = endpoint.data()->sa_family;
  if (family != AF_INET && family != AF_INET6) return {};
  return ToTcp(endpoint).address().to_string();
}

}  // namespace viv::http
