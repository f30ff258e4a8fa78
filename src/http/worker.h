#pragma once
// One thread of the server: its io_context, its listening sockets and the connections it accepted,
// which never change threads and so need no locks. A regular tick keeps the deadlines and the Date
// header of all of them. Internal to the server.

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "http/connection.h"
#include "http/listener.h"
#include "http/tls.h"

namespace viv::http {

class Worker {
 public:
  // `connections` counts those of all workers. Everything given outlives it.
  Worker(const ServerContext& context, std::atomic<std::size_t>& connections);

  asio::io_context& io() { return io_; }
  // `tls` is nullptr for a plain one; it outlives the worker.
  void Add(StreamAcceptor acceptor, TlsIdentity* tls);
  std::uint16_t port(std::size_t listener) const { return PortOf(listeners_[listener]->acceptor); }

  void Run();   // returns when drained
  void Stop();  // from any thread

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Listener {
    StreamAcceptor acceptor;
    TlsIdentity* tls;
  };

  Task<void> Accept(Listener& listener);
  Task<void> Tick();
  void StartConnection(StreamSocket socket, const StreamEndpoint& peer, TlsIdentity* tls);
  void RefuseConnection(StreamSocket socket, const TlsIdentity* tls);
  void BeginDrain();
  void ContinueDrain(Time now);
  bool is_drained() const { return draining_ && connections_.empty(); }

  const ServerContext& context_;
  std::atomic<std::size_t>& connection_count_;
  asio::io_context io_{1};
  std::vector<std::unique_ptr<Listener>> listeners_;
  asio::steady_timer timer_{io_};
  const std::chrono::milliseconds tick_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::string date_;
  bool draining_ = false;
  bool streams_cancelled_ = false;
  bool aborted_ = false;
  Time drain_began_{};
};

}  // namespace viv::http
