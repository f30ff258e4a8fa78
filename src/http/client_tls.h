#pragma once
// TLS toward the servers of https:// URLs, as something that a program may leave out: the client
// knows it only through this interface. gateway::OriginTls is one.

#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/transport.h"

namespace viv::http {

class ClientTls {
 public:
  virtual ~ClientTls() = default;
  // Makes the handshake in limited time and verifies that the server's certificate is one of
  // `host`, a name or an address. Thread-safe.
  virtual Task<Result<std::unique_ptr<Transport>>> Secure(StreamSocket socket,
                                                          std::string host) = 0;
};

}  // namespace viv::http
