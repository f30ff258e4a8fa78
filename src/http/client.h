#pragma once
// A small HTTP/1.1 client for our command line and tests: one request, one connection, plain TCP.
// It follows no redirects and trusts no server: time and size are limited.

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::http {

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // "http://host[:port]/path?query"
  Headers headers;
  std::string body;
  std::chrono::milliseconds timeout{30'000};  // for each of: connecting, sending, receiving
  std::size_t body_bytes_max = 64 * 1024 * 1024;
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

Task<Result<ClientResponse>> Fetch(ClientRequest request);

// The same, on an io_context of its own; not to be called where others wait for this thread.
Result<ClientResponse> FetchBlocking(ClientRequest request);

}  // namespace viv::http
