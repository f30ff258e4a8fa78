#pragma once
// Waiting on sockets in coroutines. Reads and writes are plain system calls on non-blocking
// descriptors; only the waits go through the event loop, so the same type serves listening,
// datagram and connected sockets alike.

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

// A closed stream when the event loop cannot take one more.
Stream AdoptStream(asio::io_context& context, UniqueFd fd);

// False when the stream was closed or cancelled meanwhile.
Task<bool> WaitReadable(Stream& stream);
Task<bool> WaitWritable(Stream& stream);

// Waits no longer than that; the stream stays as it is.
enum class WaitResult { kReady, kTimeout, kClosed };
Task<WaitResult> WaitReadableFor(Stream& stream, std::chrono::milliseconds at_most);

// Closes a stream when the time is over, unless destroyed before. Lives on the stream's thread.
class Deadline {
 public:
  Deadline(Stream& stream, std::chrono::milliseconds after);
  ~Deadline() { *stream_ = nullptr; }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  std::shared_ptr<Stream*> stream_;  // shared with a handler that may run after we are gone
  asio::steady_timer timer_;
};

// A connected TCP socket, or why not.
Task<Result<Stream>> DialOut(asio::io_context& context,
                             Endpoint endpoint,
                             std::chrono::milliseconds timeout);

// A non-blocking UDP socket that talks to this endpoint alone, from a random port.
Result<UniqueFd> OpenUdpTo(const Endpoint& endpoint);
// Whether this machine itself has the address.
bool IsAddressOfThisMachine(const Address& address);
// Whether packets to it have any way out of this machine.
bool IsRoutable(const Address& address);

// Writes all; false on an error or a closed stream.
Task<bool> WriteFully(Stream& stream, std::string bytes);
// Exactly `count` bytes; fewer when the other side ended.
Task<std::string> ReadFully(Stream& stream, std::size_t count);

// The other side gets a reset instead of an orderly end.
void CloseWithReset(Stream& stream);

}  // namespace viv::network
