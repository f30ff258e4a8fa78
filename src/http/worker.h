#pragma once
// One thread of the server: its io_context, its listening socket and the connections it accepted,
// which never change threads and so need no locks. A regular tick keeps the deadlines and the Date
// header of all of them. Internal to the server.

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/task.h"
#include "http/connection.h"

namespace viv::http {

class Worker {
 public:
  using Acceptor = asio::ip::tcp::acceptor;
  enum class PortUse { kAlone, kShared };  // shared: among the workers of this server

  // `connections` counts those of all workers. `tls` may be nullptr. Everything given outlives it.
  Worker(const ServerContext& context,
         asio::ssl::context* tls,
         std::atomic<std::size_t>& connections);

  Status Listen(const asio::ip::tcp::endpoint& endpoint, PortUse use);
  asio::ip::tcp::endpoint endpoint() const { return endpoint_; }

  void Run();   // returns when drained
  void Stop();  // from any thread

 private:
  using Time = std::chrono::steady_clock::time_point;

  Task<void> Accept();
  Task<void> Tick();
  void Adopt(asio::ip::tcp::socket socket);
  void TurnAway(asio::ip::tcp::socket socket);
  void BeginDrain();
  void ContinueDrain(Time now);
  bool is_drained() const { return draining_ && connections_.empty(); }

  const ServerContext& context_;
  asio::ssl::context* const tls_;
  std::atomic<std::size_t>& connection_count_;
  asio::io_context io_{1};
  Acceptor acceptor_{io_};
  asio::ip::tcp::endpoint endpoint_;
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
