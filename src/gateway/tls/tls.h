#pragma once
// TLS on both sides of the gateway.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "gateway/tls/certificate_authority.h"
#include "http/client_tls.h"
#include "http/transport.h"

namespace viv::gateway {

struct TlsConnection {
  std::unique_ptr<http::Transport> transport;
  bool http2 = false;  // the negotiated version
};

// The server side, toward a guest that has sent `already_read`. `http2` offers HTTP/2 besides
// HTTP/1.1.
Task<Result<TlsConnection>> AcceptTls(http::StreamSocket socket,
                                      std::string already_read,
                                      std::shared_ptr<SSL_CTX> context,
                                      bool http2);

// The client's side, toward origins. Thread-safe.
class OriginTls : public http::ClientTls {
 public:
  // Trusts the machine's authorities and those in these PEM files.
  static Result<std::unique_ptr<OriginTls>> Open(const std::vector<std::string>& cas);
  // kPermissionDenied when its certificate is not one of `host`, or nobody trusted vouches for it:
  // the message says which. kUnavailable when it fails otherwise.
  virtual Task<Result<TlsConnection>> Connect(http::StreamSocket socket,
                                              std::string host,
                                              bool http2) = 0;
  // For the HTTP client: the same, without HTTP/2.
  Task<Result<std::unique_ptr<http::Transport>>> Secure(http::StreamSocket socket,
                                                        std::string host) final;
};

}  // namespace viv::gateway
