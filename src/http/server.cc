#include "http/server.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "http/listener.h"
#include "http/tls.h"
#include "http/worker.h"

namespace viv::http {
namespace {

constexpr unsigned kThreadsMax = 256;

// SO_REUSEPORT would silently share the port with another server of the same user.
Status CheckPortIsFree(const asio::ip::tcp::endpoint& endpoint) {
  if (endpoint.port() == 0) return {};
  asio::io_context io;
  ASSIGN_OR_RETURN(StreamAcceptor probe, OpenListener(io, endpoint, PortUse::kAlone));
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
    unsigned threads =
        options_.threads > 0 ? options_.threads : std::thread::hardware_concurrency();
    threads = std::clamp(threads, 1u, kThreadsMax);
    for (unsigned i = 0; i < threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(context_, connections_));
    }
    if (options_.listener) {
      RETURN_IF_ERROR(Share(std::move(options_.listener), options_.tls.get()));
    } else {
      RETURN_IF_ERROR(Listen(options_.host, options_.port, options_.tls.get()));
    }
    for (const ListenerOptions& extra : options_.extra) {
      RETURN_IF_ERROR(Listen(extra.host, extra.port, extra.tls.get()));
    }
    return {};
  }

  std::vector<std::uint16_t> ports() const {
    std::vector<std::uint16_t> ports;
    for (std::size_t i = 0; i <= options_.extra.size(); ++i) {
      ports.push_back(workers_.front()->port(i));
    }
    return ports;
  }
  std::uint16_t port() const { return workers_.front()->port(0); }
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
  Status Listen(const std::string& host, std::uint16_t port, const TlsFiles* files) {
    ASSIGN_OR_RETURN(TlsIdentity * tls, LoadTls(files));
    ASSIGN_OR_RETURN(asio::ip::tcp::endpoint endpoint, ResolveListen(host, port));
    PortUse use = workers_.size() > 1 ? PortUse::kShared : PortUse::kAlone;
    if (use == PortUse::kShared) RETURN_IF_ERROR(CheckPortIsFree(endpoint));
    for (auto& worker : workers_) {
      ASSIGN_OR_RETURN(StreamAcceptor acceptor, OpenListener(worker->io(), endpoint, use));
      endpoint.port(PortOf(acceptor));  // the first one may have been given any port
      worker->Add(std::move(acceptor), tls);
    }
    return {};
  }

  Status Share(UniqueFd listener, const TlsFiles* files) {
    ASSIGN_OR_RETURN(TlsIdentity * tls, LoadTls(files));
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      UniqueFd copy(::fcntl(listener.get(), F_DUPFD_CLOEXEC, 0));
      ASSIGN_OR_RETURN(StreamAcceptor acceptor, AdoptListener(workers_[i]->io(), std::move(copy)));
      workers_[i]->Add(std::move(acceptor), tls);
    }
    asio::io_context& io = workers_.front()->io();
    ASSIGN_OR_RETURN(StreamAcceptor acceptor, AdoptListener(io, std::move(listener)));
    workers_.front()->Add(std::move(acceptor), tls);
    return {};
  }

  // nullptr for a plain port.
  Result<TlsIdentity*> LoadTls(const TlsFiles* files) {
    if (files == nullptr) return nullptr;
    if (options_.tls_library == nullptr) {
      return Fail(ErrorCode::kInvalidArgument, "TLS: this program was built without it");
    }
    ASSIGN_OR_RETURN(std::unique_ptr<TlsIdentity> identity, options_.tls_library->Load(*files));
    identities_.push_back(std::move(identity));
    return identities_.back().get();
  }

  ServerOptions options_;
  const Handler handler_;
  const ErrorRenderer errors_;
  BodyBudget heads_{2 * options_.head_budget_bytes};  // they have no owner, and so half of it
  BodyBudget bodies_{options_.body_budget_bytes};
  const ServerContext context_{options_, handler_, errors_, heads_, bodies_};
  std::vector<std::unique_ptr<TlsIdentity>> identities_;
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

std::vector<std::uint16_t> Server::ports() const {
  return impl_->ports();
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
