#pragma once
// Listening sockets, TCP or unix, and the addresses of their peers. Internal to the server.

#include <cstdint>
#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"

namespace viv::http {

using StreamEndpoint = asio::generic::stream_protocol::endpoint;
using StreamAcceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

Result<asio::ip::tcp::endpoint> ResolveListen(const std::string& host, std::uint16_t port);

enum class PortUse { kAlone, kShared };  // shared: among the workers of one server
Result<StreamAcceptor> OpenListener(asio::io_context& io,
                                    const asio::ip::tcp::endpoint& endpoint,
                                    PortUse use);

// An inherited socket that listens already.
Result<StreamAcceptor> AdoptListener(asio::io_context& io, UniqueFd fd);

std::uint16_t PortOf(const StreamAcceptor& acceptor);     // 0 for a unix socket
std::string AddressText(const StreamEndpoint& endpoint);  // "127.0.0.1"; "" for a unix socket

}  // namespace viv::http
