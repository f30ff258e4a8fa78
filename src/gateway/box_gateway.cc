#include "gateway/box_gateway.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/forward_request.h"
#include "gateway/http/connections.h"
#include "gateway/origin_pool.h"
#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

constexpr auto kTickInterval = std::chrono::seconds(1);
// How long a guest that has closed its sending side may wait for the next byte of a response.
constexpr auto kHalfClosedTime = std::chrono::seconds(60);

using SteadyTime = std::chrono::steady_clock::time_point;

// For a box whose last rule was removed.
class NoCredentials final : public Credentials {
 public:
  bool AppliesToHost(std::string_view) const override { return false; }
  Body NeedsBody(const RequestHead&, const Destination&) const override { return Body::kNotNeeded; }
  Task<tl::expected<AppliedCredentials, Refusal>> Apply(RequestHead&,
                                                        Destination,
                                                        std::string_view,
                                                        bool) override {
    co_return AppliedCredentials{};
  }
};

}  // namespace

// The state that belongs to the box's loop.
struct BoxGateway::LoopState {
  LoopState(asio::any_io_executor executor,
            std::shared_ptr<GatewayParts> of_parts,
            std::shared_ptr<Credentials> of_credentials,
            std::shared_ptr<std::atomic<bool>> of_dropped)
      : parts(std::move(of_parts)),
        credentials(std::move(of_credentials)),
        dropped(std::move(of_dropped)),
        pool(executor),
        timer(executor) {}

  const std::shared_ptr<GatewayParts> parts;
  // This and `dropped` belong to the interceptor that the box has now.
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<std::atomic<bool>> dropped;
  OriginPool pool;
  std::set<GuestConnection*> connections;
  asio::steady_timer timer;
};

// One connection of the guest that the gateway serves.
class BoxGateway::GuestConnection final : public InterceptedConnection,
                                          public std::enable_shared_from_this<GuestConnection> {
 public:
  GuestConnection(std::shared_ptr<LoopState> loop_state,
                  std::shared_ptr<InterceptedFlow> flow,
                  Info info)
      : loop_state_(std::move(loop_state)), flow_(std::move(flow)), info_(std::move(info)) {
    loop_state_->connections.insert(this);
    flow_->OnAbort([this] { Abort(); });
  }
  ~GuestConnection() override {
    flow_->OnAbort(nullptr);
    loop_state_->connections.erase(this);
  }

  const Info& info() const override { return info_; }
  bool AllowsHost(std::string_view host) const override { return flow_->AllowsHost(host); }
  Task<Result<OpenedOrigin>> OpenOrigin(std::string host, OriginRequirements requirements) override;
  void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) override {
    bytes_moved_ = true;
    flow_->CountBytes(bytes_out, bytes_in);
  }
  network::FlowRecord Describe() const override { return flow_->Describe(); }
  void Log(const network::FlowRecord& record) override { flow_->Log(record); }

  Task<void> Serve(std::string already_read);
  void Tick(SteadyTime now);
  void Abort();

 private:
  Task<Result<bool>> AcceptGuest(std::string already_read);  // returns whether it is HTTP/2
  void LogHandshakeFailure(const Error& error);
  OriginKey KeyOf(const std::string& host) const;
  // These may outlive the guest's connection, because the pool owns what is dialled.
  static Task<void> Preconnect(std::shared_ptr<LoopState> loop_state,
                               std::shared_ptr<InterceptedFlow> flow,
                               OriginKey key);
  static Task<Result<DialledOrigin>> DialOrigin(std::shared_ptr<LoopState> loop_state,
                                                std::shared_ptr<InterceptedFlow> flow,
                                                OriginKey key,
                                                OriginRequirements requirements);
  static Task<void> ServeRequest(std::shared_ptr<GuestConnection> self,
                                 std::shared_ptr<GuestExchange> exchange);

  const std::shared_ptr<LoopState> loop_state_;
  const std::shared_ptr<InterceptedFlow> flow_;
  const Info info_;
  std::unique_ptr<http::Transport> guest_;
  std::set<std::shared_ptr<GuestExchange>> exchanges_;
  bool aborted_ = false;
  bool bytes_moved_ = false;  // since the last tick
  SteadyTime half_closed_since_ = SteadyTime::max();
};

Task<void> BoxGateway::GuestConnection::Serve(std::string already_read) {
  std::string rest;
  if (!info_.secure) rest = already_read;
  // Both handshakes run at once: all requests of this TLS connection go to this host.
  if (info_.secure)
    asio::co_spawn(flow_->executor(), Preconnect(loop_state_, flow_, KeyOf(info_.host)),
                   asio::detached);
  Result<bool> http2 = co_await AcceptGuest(std::move(already_read));
  if (!http2) LogHandshakeFailure(http2.error());
  if (!http2 || aborted_) co_return;
  auto self = shared_from_this();
  ExchangeHandler serve = [self](std::shared_ptr<GuestExchange> exchange) {
    return ServeRequest(self, std::move(exchange));
  };
  MalformedRequestHandler on_malformed = [self](const MalformedRequest& request) {
    LogMalformedRequest(*self, request);
  };
  if (*http2) {
    co_await ServeHttp2(*guest_, std::move(rest), std::move(serve), std::move(on_malformed));
  } else {
    co_await ServeHttp1(*guest_, std::move(rest), std::move(serve), std::move(on_malformed));
  }
}

Task<Result<bool>> BoxGateway::GuestConnection::AcceptGuest(std::string already_read) {
  ASSIGN_OR_CO_RETURN(http::StreamSocket socket,
                      http::AdoptSocket(flow_->executor(), flow_->ReleaseGuestSocket()));
  if (!info_.secure) {
    guest_ = http::MakePlainTransport(std::move(socket));
    co_return false;
  }
  ASSIGN_OR_CO_RETURN(std::shared_ptr<SSL_CTX> context,
                      loop_state_->parts->certificate_authority->ContextFor(info_.host),
                      "make a certificate");
  ASSIGN_OR_CO_RETURN(
      TlsConnection secured,
      co_await AcceptTls(std::move(socket), std::move(already_read), std::move(context), true));
  guest_ = std::move(secured.transport);
  co_return secured.http2;
}

void BoxGateway::GuestConnection::LogHandshakeFailure(const Error& error) {
  network::FlowRecord record = flow_->Describe();
  record.at_us = NowMicros();
  record.name = info_.host;
  record.protocol = info_.secure ? "https" : "http";
  record.verdict = "failed";
  record.reason = "the guest did not begin: " + error.message;
  flow_->Log(record);
}

Task<void> BoxGateway::GuestConnection::ServeRequest(std::shared_ptr<GuestConnection> self,
                                                     std::shared_ptr<GuestExchange> exchange) {
  struct Listed {
    GuestConnection& connection;
    const std::shared_ptr<GuestExchange>& exchange;
    Listed(GuestConnection& in, const std::shared_ptr<GuestExchange>& of)
        : connection(in), exchange(of) {
      connection.exchanges_.insert(exchange);
    }
    ~Listed() { connection.exchanges_.erase(exchange); }
  } listed(*self, exchange);
  co_await ForwardRequest(self, self->loop_state_->credentials, exchange);
}

OriginKey BoxGateway::GuestConnection::KeyOf(const std::string& host) const {
  network::Endpoint destination = flow_->destination();
  return {info_.secure, host, destination.address, destination.port};
}

Task<Result<OpenedOrigin>> BoxGateway::GuestConnection::OpenOrigin(
    std::string host, OriginRequirements requirements) {
  OriginKey key = KeyOf(host);
  auto dial = [loop_state = loop_state_, flow = flow_, key, requirements] {
    return DialOrigin(loop_state, flow, key, requirements);
  };
  co_return co_await loop_state_->pool.Open(std::move(key), requirements, std::move(dial));
}

Task<void> BoxGateway::GuestConnection::Preconnect(std::shared_ptr<LoopState> loop_state,
                                                   std::shared_ptr<InterceptedFlow> flow,
                                                   OriginKey key) {
  OriginRequirements requirements;
  auto dial = [loop_state, flow, key, requirements] {
    return DialOrigin(loop_state, flow, key, requirements);
  };
  co_await loop_state->pool.Preconnect(std::move(key), std::move(dial));
}

Task<Result<DialledOrigin>> BoxGateway::GuestConnection::DialOrigin(
    std::shared_ptr<LoopState> loop_state,
    std::shared_ptr<InterceptedFlow> flow,
    OriginKey key,
    OriginRequirements requirements) {
  std::string host = key.host;
  ASSIGN_OR_CO_RETURN(UniqueFd fd, co_await flow->Dial(std::move(host)));
  ASSIGN_OR_CO_RETURN(http::StreamSocket socket,
                      http::AdoptSocket(flow->executor(), std::move(fd)));
  DialledOrigin dialled;
  if (!key.secure) {
    dialled.connection = MakeHttp1Origin(http::MakePlainTransport(std::move(socket)));
    co_return dialled;
  }
  bool http2 = requirements.version == OriginRequirements::Version::kAny;
  OriginTls& tls = *loop_state->parts->origin_tls;
  ASSIGN_OR_CO_RETURN(TlsConnection secured,
                      co_await tls.Connect(std::move(socket), std::move(key.host), http2));
  dialled.http2 = secured.http2;
  if (secured.http2) {
    dialled.connection = MakeHttp2Origin(std::move(secured.transport));
  } else {
    dialled.connection = MakeHttp1Origin(std::move(secured.transport));
  }
  co_return dialled;
}

// HTTP/1.1 does not read from its guest while it waits for a response, so this checks whether the
// guest has gone.
void BoxGateway::GuestConnection::Tick(SteadyTime now) {
  if (!guest_) return;
  guest_->Tick(now);
  bool moved = std::exchange(bytes_moved_, false);
  bool gone = guest_->PeerHungUp(http::Transport::HangUp::kBothHalves);
  bool silent = guest_->PeerHungUp(http::Transport::HangUp::kWriteHalf) && !moved;
  if (!silent) half_closed_since_ = SteadyTime::max();
  if (silent && half_closed_since_ == SteadyTime::max()) half_closed_since_ = now;
  if (gone || (silent && now - half_closed_since_ >= kHalfClosedTime)) Abort();
}

void BoxGateway::GuestConnection::Abort() {
  if (std::exchange(aborted_, true)) return;
  auto self = shared_from_this();
  if (guest_) guest_->Reset();
  std::vector<std::shared_ptr<GuestExchange>> left(exchanges_.begin(), exchanges_.end());
  for (const auto& exchange : left) {
    std::function<void()> tell = exchange->on_gone;
    if (tell) tell();
  }
}

BoxGateway::BoxGateway(std::shared_ptr<GatewayParts> parts,
                       std::shared_ptr<Credentials> credentials)
    : parts_(std::move(parts)),
      credentials_(std::move(credentials)),
      dropped_(std::make_shared<std::atomic<bool>>(false)) {}

BoxGateway::~BoxGateway() {
  dropped_->store(true);
}

bool BoxGateway::InterceptsHost(std::string_view host) const {
  return credentials_->AppliesToHost(host);
}

Task<void> BoxGateway::Serve(std::shared_ptr<network::Flow> flow,
                             network::FirstBytes first_bytes,
                             std::string already_read) {
  return ServeFlow(MakeInterceptedFlow(std::move(flow)), std::move(first_bytes),
                   std::move(already_read));
}

void BoxGateway::OnReplacedBy(network::Interceptor* next) {
  std::shared_ptr<LoopState> loop_state = loop_state_.lock();
  if (!loop_state) return;
  if (auto* successor = dynamic_cast<BoxGateway*>(next)) {
    successor->loop_state_ = loop_state;
    loop_state->credentials = successor->credentials_;
    loop_state->dropped = successor->dropped_;
  } else {
    loop_state->credentials = std::make_shared<NoCredentials>();
  }
}

Task<void> BoxGateway::ServeFlow(std::shared_ptr<InterceptedFlow> flow,
                                 network::FirstBytes first_bytes,
                                 std::string already_read) {
  InterceptedConnection::Info info;
  info.secure = first_bytes.kind == network::FirstBytes::Kind::kTls;
  if (info.secure) info.host = first_bytes.host;
  info.port = flow->destination().port;
  auto connection = std::make_shared<GuestConnection>(GetLoopState(flow->executor()),
                                                      std::move(flow), std::move(info));
  return ServeAndCatch(std::move(connection), first_bytes.host, std::move(already_read));
}

Task<void> BoxGateway::ServeAndCatch(std::shared_ptr<GuestConnection> connection,
                                     std::string host,
                                     std::string already_read) {
  try {
    co_await connection->Serve(std::move(already_read));
  } catch (const std::exception& failure) {
    log::Warn("gateway.connection_failed", {{"host", host}, {"error", failure.what()}});
    connection->Abort();
  }
}

std::shared_ptr<BoxGateway::LoopState> BoxGateway::GetLoopState(asio::any_io_executor executor) {
  std::shared_ptr<LoopState> loop_state = loop_state_.lock();
  if (loop_state) return loop_state;
  loop_state = std::make_shared<LoopState>(executor, parts_, credentials_, dropped_);
  loop_state_ = loop_state;
  asio::co_spawn(executor, RunTicks(loop_state), asio::detached);
  return loop_state;
}

// Runs until no connection is open. The loop's state is destroyed with it.
Task<void> BoxGateway::RunTicks(std::shared_ptr<LoopState> loop_state) {
  do {
    loop_state->timer.expires_after(kTickInterval);
    co_await loop_state->timer.async_wait(http::kTuple);
    SteadyTime now = std::chrono::steady_clock::now();
    std::vector<GuestConnection*> served(loop_state->connections.begin(),
                                         loop_state->connections.end());
    for (GuestConnection* connection : served) {
      if (loop_state->connections.contains(connection)) connection->Tick(now);
    }
    if (*loop_state->dropped) loop_state->pool.CloseAll();
    loop_state->pool.Tick(now);
  } while (!loop_state->connections.empty() || !loop_state->pool.empty());
}

}  // namespace viv::gateway
