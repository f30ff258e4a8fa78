#include "http/server.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "http/worker.h"

namespace viv::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr unsigned kThreadsMax = 256;

Result<tcp::endpoint> Resolve(const std::string& host, std::uint16_t port) {
  asio::io_context io;
  tcp::resolver resolver(io);
  error_code error;
  auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "resolve " + host + ": " + error.message());
  }
  // "localhost" has two addresses; IPv4 is the one that everybody tries.
  for (const auto& entry : found) {
    if (entry.endpoint().protocol() == tcp::v4()) return entry.endpoint();
  }
  return found.begin()->endpoint();
}

Status LoadTls(const TlsFiles& files, asio::ssl::context& tls) {
  error_code error;
  tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                      asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1,
                  error);
  if (!error) tls.use_certificate_chain_file(files.certificate_chain, error);
  if (error)
    return Fail(ErrorCode::kInvalidArgument, files.certificate_chain + ": " + error.message());
  tls.use_private_key_file(files.private_key, asio::ssl::context::pem, error);
  if (error) return Fail(ErrorCode::kInvalidArgument, files.private_key + ": " + error.message());
  return {};
}

Response PlainError(int status, std::string message, const Request&) {
  return Text(status, message + "\n");
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, Handler handler, ErrorRenderer errors)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        errors_(errors ? std::move(errors) : ErrorRenderer(PlainError)) {}

  Status Start() {
    if (options_.tls) {
      RETURN_IF_ERROR(LoadTls(*options_.tls, tls_.emplace(asio::ssl::context::tls_server)), "TLS");
    }
    ASSIGN_OR_RETURN(tcp::endpoint endpoint, Resolve(options_.host, options_.port));
    unsigned threads =
        options_.threads > 0 ? options_.threads : std::thread::hardware_concurrency();
    threads = std::clamp(threads, 1u, kThreadsMax);
    auto use = threads > 1 ? Worker::PortUse::kShared : Worker::PortUse::kAlone;
    if (use == Worker::PortUse::kShared) RETURN_IF_ERROR(CheckPortIsFree(endpoint));
    for (unsigned i = 0; i < threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(context_, tls_ ? &*tls_ : nullptr, connections_));
      RETURN_IF_ERROR(workers_.back()->Listen(endpoint, use));
      endpoint = workers_.front()->endpoint();  // the first one may have been given any port
    }
    return {};
  }

  std::uint16_t port() const { return workers_.front()->endpoint().port(); }
  std::size_t connections() const { return connections_.load(std::memory_order_relaxed); }

  void Run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([worker = workers_[i].get()] { worker->Run(); });
    }
    workers_.front()->Run();
    for (std::thread& thread : threads) thread.join();
  }

  void Stop() {
    for (auto& worker : workers_) worker->Stop();
  }

 private:
  // SO_REUSEPORT would silently share the port with another server of the same user.
  Status CheckPortIsFree(const tcp::endpoint& endpoint) {
    if (endpoint.port() == 0) return {};
    Worker probe(context_, nullptr, connections_);
    return probe.Listen(endpoint, Worker::PortUse::kAlone);
  }

  const ServerOptions options_;
  const Handler handler_;
  const ErrorRenderer errors_;
  const ServerContext context_{options_, handler_, errors_};
  std::optional<asio::ssl::context> tls_;
  std::atomic<std::size_t> connections_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Create(ServerOptions options,
                                               Handler handler,
                                               ErrorRenderer errors) {
  if (!handler) return Fail(ErrorCode::kInvalidArgument, "a server needs a handler");
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler), std::move(errors));
  RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const {
  return impl_->port();
}

void Server::Run() {
  impl_->Run();
}

void Server::Stop() {
  impl_->Stop();
}

std::size_t Server::connections() const {
  return impl_->connections();
}

}  // namespace viv::http
