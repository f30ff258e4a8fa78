#pragma once
// The HTTP/1.1 server: one io_context per thread, each with a SO_REUSEPORT acceptor per port or a
// share of an inherited listening socket; connections stay on their thread. Every wait has a
// deadline, every size a limit. Stop() drains: no new connections, requests under way are finished,
// idle connections are closed, streams, WebSockets and takeovers are cancelled after a second.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "http/message.h"

namespace viv::http {

struct TlsFiles {
  std::string certificate_chain;  // PEM
  std::string private_key;        // PEM
};

class TlsLibrary;

// A further port with the same handler.
struct ListenerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;         // 0: any free one, see Server::ports()
  std::unique_ptr<TlsFiles> tls;  // nullptr: plain HTTP
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one, see Server::port()
  unsigned threads = 0;    // 0: one per core
  std::size_t header_bytes_max = 64 * 1024;
  // For all heads above 8 KiB that are not complete: further ones get 503.
  std::size_t head_budget_bytes = 64 * 1024 * 1024;
  std::size_t body_bytes_max = 64 * 1024 * 1024;
  // Larger bodies, and chunked ones, are read when the handler asks for them
  // (http/deferred_body.h), which it does once it knows the caller.
  std::size_t body_defer_above_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t body_budget_bytes = 512 * 1024 * 1024;  // for all of those under way, see BodyBudget
  std::chrono::milliseconds body_budget_timeout{
      10'000};  // a request waits that long for memory, then it gets 503
  std::size_t connections_max = 16 * 1024;           // further ones get 503 and are closed
  std::chrono::milliseconds header_timeout{30'000};  // first byte to last header byte
  std::chrono::milliseconds body_timeout{120'000};   // without any progress
  std::chrono::milliseconds idle_timeout{120'000};   // keep-alive without a request
  std::chrono::milliseconds write_timeout{60'000};   // without any progress
  // A WebSocket from which nothing arrives is pinged after half of that time, and closed after all
  // of it.
  std::chrono::milliseconds socket_idle_timeout{120'000};
  std::chrono::milliseconds drain_timeout{10'000};  // Stop() waits that long
  std::unique_ptr<TlsFiles> tls;                    // nullptr: plain HTTP
  // What serves TLS, for a program that does so: &OpenSsl() of http/tls.h and the library http_tls.
  const TlsLibrary* tls_library = nullptr;
  // Whether the body of the request with this head is streamed to its handler, and so not limited
  // by body_bytes_max; nullptr: none. Where it says yes request.body_stream is set, even when there
  // is no body.
  std::function<bool(const Request&)> streams_body;
  UniqueFd listener;  // a listening stream socket, TCP or unix, to serve instead of host and port
  std::vector<ListenerOptions> extra;
};

class Server {
 public:
  // Binds; requests are served once Run is called. `errors` renders what the server itself answers
  // (400 broken request, 408, 413, 431, 503), so that each dialect's clients see their own shape.
  using ErrorRenderer = http::ErrorRenderer;
  static Result<std::unique_ptr<Server>> Create(ServerOptions options,
                                                Handler handler,
                                                ErrorRenderer errors);
  ~Server();

  std::uint16_t port() const;                // of the first one; 0 for a unix socket
  std::vector<std::uint16_t> ports() const;  // the first and the extra ones, in their order
  // Serves on this thread and `threads - 1` further ones; returns after Stop() and the drain. What
  // still runs at the end of the drain is cancelled, and waited for: a handler on a blocking pool
  // must come to its own end.
  void Run();
  void Stop();  // from any thread or a signal handler thread

  std::size_t connections() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace viv::http
