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
#include "gateway/carry.h"
#include "gateway/http/connections.h"
#include "gateway/pool.h"
#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

constexpr auto kHouseTick = std::chrono::seconds(1);
// How long a guest that sends no more may wait for the next byte of its answer.
constexpr auto kHalfClosedTime = std::chrono::seconds(60);

using SteadyTime = std::chrono::steady_clock::time_point;

// Of a box whose last rule has gone.
class NoCredentials final : public Credentials {
 public:
  bool Names(std::string_view) const override { return false; }
  Body NeedsBody(const RequestHead&, const Destination&) const override { return Body::kNotNeeded; }
  Task<tl::expected<Credited, Refusal>> Apply(RequestHead&,
                                              Destination,
                                              std::string_view,
                                              bool) override {
    co_return Credited{};
  }
};

}  // namespace

// What lives on the box's loop.
struct BoxGateway::House {
  House(asio::any_io_executor executor,
        std::shared_ptr<GatewayParts> of_parts,
        std::shared_ptr<Credentials> of_credentials,
        std::shared_ptr<std::atomic<bool>> of_dropped)
      : parts(std::move(of_parts)),
        credentials(std::move(of_credentials)),
        dropped(std::move(of_dropped)),
        pool(executor),
        timer(executor) {}

  const std::shared_ptr<GatewayParts> parts;
  std::shared_ptr<Credentials> credentials;  // these two of whoever has the house now
  std::shared_ptr<std::atomic<bool>> dropped;
  OriginPool pool;
  std::set<Connection*> connections;
  asio::steady_timer timer;
};

// One connection of the guest.
class BoxGateway::Connection final : public Route, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<House> house, std::shared_ptr<Way> way, Facts facts)
      : house_(std::move(house)), way_(std::move(way)), facts_(std::move(facts)) {
    house_->connections.insert(this);
    way_->OnCut([this] { Cut(); });
  }
  ~Connection() override {
    way_->OnCut(nullptr);
    house_->connections.erase(this);
  }

  const Facts& facts() const override { return facts_; }
  bool Admits(std::string_view host) const override { return way_->Admits(host); }
  Task<Result<OpenedOrigin>> Open(std::string host, OriginNeed need) override;
  void Count(std::uint64_t bytes_out, std::uint64_t bytes_in) override {
    moved_ = true;
    way_->Count(bytes_out, bytes_in);
  }
  network::FlowRecord Describe() const override { return way_->Describe(); }
  void Log(const network::FlowRecord& record) override { way_->Log(record); }

  Task<void> Serve(std::string taken);
  void Tick(SteadyTime now);
  void Cut();

 private:
  Task<Result<bool>> Greet(std::string taken);  // whether it is HTTP/2
  void LogNoGreeting(const Error& error);
  OriginKey KeyOf(const std::string& host) const;
  // These outlive the guest's connection: what is dialled is the pool's.
  static Task<void> Prepare(std::shared_ptr<House> house, std::shared_ptr<Way> way, OriginKey key);
  static Task<Result<DialledOrigin>> DialOrigin(std::shared_ptr<House> house,
                                                std::shared_ptr<Way> way,
                                                OriginKey key,
                                                OriginNeed need);
  static Task<void> ServeRequest(std::shared_ptr<Connection> self,
                                 std::shared_ptr<GuestExchange> exchange);

  const std::shared_ptr<House> house_;
  const std::shared_ptr<Way> way_;
  const Facts facts_;
  std::unique_ptr<http::Transport> guest_;
  std::set<std::shared_ptr<GuestExchange>> exchanges_;
  bool cut_ = false;
  bool moved_ = false;  // some bytes, since the last tick
  SteadyTime half_closed_since_ = SteadyTime::max();
};

Task<void> BoxGateway::Connection::Serve(std::string taken) {
  std::string rest;
  if (!facts_.secure) rest = taken;
  // Both handshakes at once: the request that the guest's is for goes to this host and no other.
  if (facts_.secure)
    asio::co_spawn(way_->executor(), Prepare(house_, way_, KeyOf(facts_.host)), asio::detached);
  Result<bool> http2 = co_await Greet(std::move(taken));
  if (!http2) LogNoGreeting(http2.error());
  if (!http2 || cut_) co_return;
  auto self = shared_from_this();
  ServeExchange serve = [self](std::shared_ptr<GuestExchange> exchange) {
    return ServeRequest(self, std::move(exchange));
  };
  TellBroken broken = [self](const BrokenRequest& request) { LogBroken(*self, request); };
  if (*http2) {
    co_await ServeHttp2(*guest_, std::move(rest), std::move(serve), std::move(broken));
  } else {
    co_await ServeHttp1(*guest_, std::move(rest), std::move(serve), std::move(broken));
  }
}

Task<Result<bool>> BoxGateway::Connection::Greet(std::string taken) {
  ASSIGN_OR_CO_RETURN(http::StreamSocket socket,
                      http::AdoptSocket(way_->executor(), way_->TakeGuest()));
  if (!facts_.secure) {
    guest_ = http::MakePlainTransport(std::move(socket));
    co_return false;
  }
  ASSIGN_OR_CO_RETURN(std::shared_ptr<SSL_CTX> context,
                      house_->parts->authority->ContextFor(facts_.host), "make a certificate");
  ASSIGN_OR_CO_RETURN(Secured secured, co_await AcceptTls(std::move(socket), std::move(taken),
                                                          std::move(context), true));
  guest_ = std::move(secured.transport);
  co_return secured.http2;
}

void BoxGateway::Connection::LogNoGreeting(const Error& error) {
  network::FlowRecord record = way_->Describe();
  record.at_us = NowMicros();
  record.name = facts_.host;
  record.protocol = facts_.secure ? "https" : "http";
  record.verdict = "failed";
  record.reason = "the guest did not begin: " + error.message;
  way_->Log(record);
}

Task<void> BoxGateway::Connection::ServeRequest(std::shared_ptr<Connection> self,
                                                std::shared_ptr<GuestExchange> exchange) {
  struct Listed {
    Connection& connection;
    const std::shared_ptr<GuestExchange>& exchange;
    Listed(Connection& in, const std::shared_ptr<GuestExchange>& of)
        : connection(in), exchange(of) {
      connection.exchanges_.insert(exchange);
    }
    ~Listed() { connection.exchanges_.erase(exchange); }
  } listed(*self, exchange);
  co_await Carry(self, self->house_->credentials, exchange);
}

OriginKey BoxGateway::Connection::KeyOf(const std::string& host) const {
  network::Endpoint destination = way_->destination();
  return {facts_.secure, host, destination.address, destination.port};
}

Task<Result<OpenedOrigin>> BoxGateway::Connection::Open(std::string host, OriginNeed need) {
  OriginKey key = KeyOf(host);
  auto dial = [house = house_, way = way_, key, need] { return DialOrigin(house, way, key, need); };
  co_return co_await house_->pool.Open(std::move(key), need, std::move(dial));
}

Task<void> BoxGateway::Connection::Prepare(std::shared_ptr<House> house,
                                           std::shared_ptr<Way> way,
                                           OriginKey key) {
  OriginNeed need;
  auto dial = [house, way, key, need] { return DialOrigin(house, way, key, need); };
  co_await house->pool.Prepare(std::move(key), std::move(dial));
}

Task<Result<DialledOrigin>> BoxGateway::Connection::DialOrigin(std::shared_ptr<House> house,
                                                               std::shared_ptr<Way> way,
                                                               OriginKey key,
                                                               OriginNeed need) {
  std::string host = key.host;
  ASSIGN_OR_CO_RETURN(UniqueFd fd, co_await way->Dial(std::move(host)));
  ASSIGN_OR_CO_RETURN(http::StreamSocket socket, http::AdoptSocket(way->executor(), std::move(fd)));
  DialledOrigin dialled;
  if (!key.secure) {
    dialled.connection = OverHttp1(http::MakePlainTransport(std::move(socket)));
    co_return dialled;
  }
  bool http2 = need.version == OriginNeed::Version::kAny;
  OriginTls& tls = *house->parts->origin_tls;
  ASSIGN_OR_CO_RETURN(Secured secured,
                      co_await tls.Connect(std::move(socket), std::move(key.host), http2));
  dialled.http2 = secured.http2;
  if (secured.http2) {
    dialled.connection = OverHttp2(std::move(secured.transport));
  } else {
    dialled.connection = OverHttp1(std::move(secured.transport));
  }
  co_return dialled;
}

// HTTP/1.1 does not look at its guest while an answer is awaited, so this does.
void BoxGateway::Connection::Tick(SteadyTime now) {
  if (!guest_) return;
  guest_->Tick(now);
  bool moved = std::exchange(moved_, false);
  bool gone = guest_->PeerHungUp(http::Transport::HangUp::kBothHalves);
  bool silent = guest_->PeerHungUp(http::Transport::HangUp::kWriteHalf) && !moved;
  if (!silent) half_closed_since_ = SteadyTime::max();
  if (silent && half_closed_since_ == SteadyTime::max()) half_closed_since_ = now;
  if (gone || (silent && now - half_closed_since_ >= kHalfClosedTime)) Cut();
}

void BoxGateway::Connection::Cut() {
  if (std::exchange(cut_, true)) return;
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

bool BoxGateway::Names(std::string_view host) const {
  return credentials_->Names(host);
}

Task<void> BoxGateway::Serve(std::shared_ptr<network::Flow> flow,
                             network::Opening opening,
                             std::string taken) {
  return ServeOver(WayOf(std::move(flow)), std::move(opening), std::move(taken));
}

void BoxGateway::GiveWayTo(network::Interceptor* next) {
  std::shared_ptr<House> house = house_.lock();
  if (!house) return;
  if (auto* heir = dynamic_cast<BoxGateway*>(next)) {
    heir->house_ = house;
    house->credentials = heir->credentials_;
    house->dropped = heir->dropped_;
  } else {
    house->credentials = std::make_shared<NoCredentials>();
  }
}

Task<void> BoxGateway::ServeOver(std::shared_ptr<Way> way,
                                 network::Opening opening,
                                 std::string taken) {
  Route::Facts facts;
  facts.secure = opening.kind == network::Opening::Kind::kTls;
  if (facts.secure) facts.host = opening.host;
  facts.port = way->destination().port;
  auto connection =
      std::make_shared<Connection>(OpenHouse(way->executor()), std::move(way), std::move(facts));
  return ServeGuarded(std::move(connection), opening.host, std::move(taken));
}

Task<void> BoxGateway::ServeGuarded(std::shared_ptr<Connection> connection,
                                    std::string host,
                                    std::string taken) {
  try {
    co_await connection->Serve(std::move(taken));
  } catch (const std::exception& failure) {
    log::Warn("gateway.connection_failed", {{"host", host}, {"error", failure.what()}});
    connection->Cut();
  }
}

std::shared_ptr<BoxGateway::House> BoxGateway::OpenHouse(asio::any_io_executor executor) {
  std::shared_ptr<House> house = house_.lock();
  if (house) return house;
  house = std::make_shared<House>(executor, parts_, credentials_, dropped_);
  house_ = house;
  asio::co_spawn(executor, Keep(house), asio::detached);
  return house;
}

// Ends, and with it the house, when nothing is open any more.
Task<void> BoxGateway::Keep(std::shared_ptr<House> house) {
  do {
    house->timer.expires_after(kHouseTick);
    co_await house->timer.async_wait(http::kTuple);
    SteadyTime now = std::chrono::steady_clock::now();
    std::vector<Connection*> served(house->connections.begin(), house->connections.end());
    for (Connection* connection : served) {
      if (house->connections.contains(connection)) connection->Tick(now);
    }
    if (*house->dropped) house->pool.CloseAll();
    house->pool.Tick(now);
  } while (!house->connections.empty() || !house->pool.empty());
}

}  // namespace viv::gateway
