#pragma once
// The HTTP/1.1 client of this server, of our command line and of tests: one request, one
// connection. It follows no redirects and trusts no server: time and size are limited. Whoever
// fetches what others name gives a check of addresses (network::DialGuard).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "http/message.h"

namespace viv::http {

class ClientTls;

// Whether an address may be dialled; an error says why not.
using AddressCheck = std::function<Status(const std::string& address, std::uint16_t port)>;

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // "http://host[:port]/path?query"; https:// needs `tls`
  Headers headers;
  std::string body;
  // Instead of `body`: returns the body piece by piece, an empty piece at the end. The pieces are
  // sent in chunks, while the response may already be read; an error ends the exchange. What the
  // function refers to outlives the exchange.
  std::function<Task<Result<std::string>>()> body_source;
  // For each of: connecting; sending, without progress; receiving, of a stream its head.
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds silence_timeout{0};   // between the pieces of a stream; 0: any time
  std::size_t body_bytes_max = 64 * 1024 * 1024;  // of the response, unless it is streamed
  // Called regularly while the response is awaited and read; the exchange ends when it returns
  // true.
  std::function<bool()> is_abandoned = nullptr;
  ClientTls* tls = nullptr;              // outlives the executor
  AddressCheck check_address = nullptr;  // of each address of the host; nullptr: all may be dialled
  // Of Fetch: for all of it, resolving and TLS included; 0: the limits above alone.
  std::chrono::milliseconds total_timeout{0};
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

Task<Result<ClientResponse>> Fetch(ClientRequest request);

// Over a connected stream socket, TCP or unix; of the URL only path and query count ("/path" will
// do).
Task<Result<ClientResponse>> FetchOver(UniqueFd connection, ClientRequest request);

// The same, blocking, on an io_context of its own. Never call it on a thread that serves
// connections.
Result<ClientResponse> FetchBlocking(ClientRequest request);

// A response whose body is read piece by piece, however long it is. The destructor closes the
// connection, so the caller aborts the exchange by destroying it.
class StreamingResponse {
 public:
  virtual ~StreamingResponse() = default;
  int status = 0;
  Headers headers;
  virtual Task<Result<std::string>> Read() = 0;  // the next piece; empty at the end
};

Task<Result<std::unique_ptr<StreamingResponse>>> FetchStream(ClientRequest request);
Task<Result<std::unique_ptr<StreamingResponse>>> FetchStreamOver(UniqueFd connection,
                                                                 ClientRequest request);

// The callbacks run on the calling thread; an error of theirs ends the exchange and is returned.
struct StreamCallbacks {
  std::function<Status(int status, const Headers& headers)> on_head;
  std::function<Status(std::string piece)> on_piece;
};
Status FetchStreamBlocking(ClientRequest request, StreamCallbacks callbacks);

}  // namespace viv::http
