#pragma once
// Waits on sockets in coroutines. Reads and writes are plain system calls on non-blocking
// descriptors; only waits use the event loop, so one type serves listening, datagram and connected
// sockets.

#include <chrono>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "network/address.h"

namespace viv::network {

using Stream = asio::posix::stream_descriptor;

// Returns a closed stream if the event loop accepts no more descriptors.
Stream AdoptStream(asio::io_context& context, UniqueFd fd);

// Returns false if the stream was closed or cancelled meanwhile.
Task<bool> WaitReadable(Stream& stream);
Task<bool> WaitWritable(Stream& stream);

// Waits no longer than `at_most`. The stream stays open.
enum class WaitResult { kReady, kTimeout, kClosed };
Task<WaitResult> WaitReadableFor(Stream& stream, std::chrono::milliseconds at_most);

// Closes a stream after a time, unless it is destroyed before. Lives on the stream's thread.
class Deadline {
 public:
  Deadline(Stream& stream, std::chrono::milliseconds after);
  ~Deadline() { *stream_ = nullptr; }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::shared_ptr<Stream*> stream_;  // shared with a handler that may run after the destructor
  asio::steady_timer timer_;
};

// Connects a TCP socket.
Task<Result<Stream>> DialOut(asio::io_context& context,
                             Endpoint endpoint,
                             std::chrono::milliseconds timeout);

// A non-blocking UDP socket that is connected to this endpoint, from a random port.
Result<UniqueFd> OpenUdpTo(const Endpoint& endpoint);
// Whether it is an address of this machine.
bool IsAddressOfThisMachine(const Address& address);
// Whether this machine has a route to it.
bool IsRoutable(const Address& address);

// Writes all bytes. Returns false on an error or a closed stream.
Task<bool> WriteFully(Stream& stream, std::string bytes);
// Reads exactly `count` bytes, or fewer if the other side ended.
Task<std::string> ReadFully(Stream& stream, std::size_t count);

// Closes the socket with a reset (SO_LINGER of 0).
void CloseWithReset(Stream& stream);

}  // namespace viv::network
