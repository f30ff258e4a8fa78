#pragma once
// Sends one POST to an untrusted server, over TCP or over TLS with a verified certificate. Time and
// size are limited, and redirects are not followed. Internal to this module.

#include <chrono>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/client.h"
#include "http/client_tls.h"
#include "http/message.h"

namespace viv::gateway {

struct PostLimits {
  std::chrono::milliseconds time{10'000};  // for everything, including DNS and TLS
  std::size_t response_bytes_max = 64 * 1024;
  http::AddressCheck check_address = nullptr;  // nullptr: all addresses may be dialled
};

struct PostResponse {
  int status = 0;
  std::string body;
};

// `url` is http:// or https://. `headers` may have a User-Agent, else it is ours. Errors name no
// more of the URL than its host and port. `tls` outlives the executor.
Task<Result<PostResponse>> Post(http::ClientTls& tls,
                                std::string url,
                                http::Headers headers,
                                std::string body,
                                PostLimits limits);

}  // namespace viv::gateway
