#pragma once
// TLS as an option of a program: the server and the relay know it only through these interfaces. A
// program that wants TLS links the library `http_tls` and passes OpenSsl() in.

#include <memory>
#include <string>

#include "base/result.h"
#include "http/server.h"
#include "http/transport.h"

namespace viv::http {

// A certificate with its key, ready to serve. Any thread.
class TlsIdentity {
 public:
  virtual ~TlsIdentity() = default;
  virtual std::unique_ptr<Transport> Accept(StreamSocket socket) = 0;
};

class TlsLibrary {
 public:
  virtual ~TlsLibrary() = default;
  virtual Result<std::unique_ptr<TlsIdentity>> Load(const TlsFiles& files) const = 0;
  // The client's side; the server's certificate is not checked. `name` goes into the handshake.
  virtual std::unique_ptr<Transport> Connect(StreamSocket socket, std::string name) const = 0;
};

const TlsLibrary& OpenSsl();  // of the library `http_tls`

}  // namespace viv::http
