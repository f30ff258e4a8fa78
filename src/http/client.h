#pragma once
// A small HTTP/1.1 client for our command line, our agents' host side and tests: one request, one
// connection, plain. It follows no redirects, and it limits time and size because it trusts no
// server.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "http/message.h"

namespace viv::http {

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // "http://host[:port]/path?query"
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
