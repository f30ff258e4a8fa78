#include "http/transport.h"

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>

#include "http/stream_transport.h"

namespace viv::http {
namespace {

using boost::system::error_code;

class PlainTransport : public StreamTransport<StreamSocket> {
 public:
  explicit PlainTransport(StreamSocket socket) : StreamTransport(std::move(socket)) {}

  bool secure() const override { return false; }
  Task<bool> Handshake() override { co_return true; }

  std::size_t TryWrite(const Pieces& pieces) override {
    error_code error;
    std::size_t count = stream_.write_some(Remaining(pieces, 0), error);
    return error ? 0 : count;
  }
};

int SocketOption(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

}  // namespace

Result<StreamSocket> AdoptSocket(asio::any_io_executor executor, UniqueFd fd) {
  int family = SocketOption(fd.get(), SO_DOMAIN);
  if (family < 0 || SocketOption(fd.get(), SO_TYPE) != SOCK_STREAM) {
    return Fail(ErrorCode::kInvalidArgument, "the descriptor is no stream socket");
  }
  StreamSocket socket(std::move(executor));
  error_code error;
  asio::generic::stream_protocol protocol(family, SocketOption(fd.get(), SO_PROTOCOL));
  socket.assign(protocol, fd.get(), error);
  if (error) return Fail(ErrorCode::kInternal, "watch a socket: " + error.message());
  fd.release();
  return socket;
}

void PrepareSocket(StreamSocket& socket) {
  error_code error;
  int family = SocketOption(socket.native_handle(), SO_DOMAIN);
  if (family != AF_UNIX) socket.set_option(asio::ip::tcp::no_delay(true), error);
  socket.non_blocking(true, error);  // for TryWrite
}

std::unique_ptr<Transport> MakePlainTransport(StreamSocket socket) {
  PrepareSocket(socket);
  return std::make_unique<PlainTransport>(std::move(socket));
}

}  // namespace viv::http
