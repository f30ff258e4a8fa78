#include "gateway/pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "http/await_tuple.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kOriginConnectionsMax = 256;
constexpr std::size_t kIdleOriginsMax = 16;
constexpr auto kIdleOriginTime = std::chrono::seconds(60);
constexpr std::size_t kKnownOriginsMax = 1024;

}  // namespace

struct OriginPool::Gate {
  explicit Gate(const asio::any_io_executor& executor)
      : opened(executor, std::chrono::steady_clock::time_point::max()) {}

  asio::steady_timer opened;
  bool open = false;
  bool promised = true;  // to a request; else the first that comes has to take it
  std::optional<Error> failure;
};

Task<Result<OpenedOrigin>> OriginPool::Open(OriginKey key, OriginNeed need, DialOrigin dial) {
  while (!closed_) {
    OpenedOrigin standing{TakeStanding(key, need)};
    if (standing.exchange) co_return standing;
    if (!MustWait(key, need))
      co_return co_await DialNew(std::move(key), need, std::move(dial), Purpose::kRequest);
    std::shared_ptr<Gate> gate = gates_.at(key);
    while (!gate->open) co_await gate->opened.async_wait(http::kTuple);
    if (gate->failure) co_return PassUp(*gate->failure);
  }
  co_return Fail(ErrorCode::kUnavailable, "the sandbox's rules were replaced: ask again");
}

Task<void> OriginPool::Prepare(OriginKey key, DialOrigin dial) {
  if (closed_ || Stands(key) || gates_.contains(key)) co_return;
  OriginNeed need;
  co_await DialNew(std::move(key), need, std::move(dial), Purpose::kAhead);
}

bool OriginPool::Stands(const OriginKey& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.key == key && entry.origin.connection->CanOpen();
  });
}

std::unique_ptr<OriginExchange> OriginPool::TakeStanding(const OriginKey& key, OriginNeed need) {
  if (need.age == OriginNeed::Age::kFresh) return nullptr;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    bool fits = !entry->origin.http2 || need.version == OriginNeed::Version::kAny;
    if (!fits || entry->key != key || !entry->origin.connection->CanOpen()) continue;
    Result<std::unique_ptr<OriginExchange>> opened = entry->origin.connection->Open();
    if (!opened) continue;
    entry->idle_since = Time::max();
    std::rotate(entry.base() - 1, entry.base(), entries_.end());
    return *std::move(opened);
  }
  return nullptr;
}

bool OriginPool::MustWait(const OriginKey& key, OriginNeed need) {
  auto gate = gates_.find(key);
  if (gate == gates_.end() || need.version != OriginNeed::Version::kAny ||
      need.age != OriginNeed::Age::kAny)
    return false;
  bool dialled_for_it = !std::exchange(gate->second->promised, true);
  return dialled_for_it || (key.secure && !http1_only_.contains(key));
}

Task<Result<OpenedOrigin>> OriginPool::DialNew(OriginKey key,
                                               OriginNeed need,
                                               DialOrigin dial,
                                               Purpose purpose) {
  if (!MakeRoom()) {
    co_return Fail(ErrorCode::kLimitExceeded,
                   "the sandbox has too many connections open: end some and ask again");
  }
  // Whoever ends this, by a return or an exception, lets the others go on.
  struct Dialling {
    OriginPool& pool;
    const OriginKey& key;
    std::shared_ptr<Gate> gate;
    ~Dialling() {
      --pool.dialling_;
      gate->open = true;
      gate->opened.cancel();
      auto own = pool.gates_.find(key);
      if (own != pool.gates_.end() && own->second == gate) pool.gates_.erase(own);
    }
  };
  auto gate = std::make_shared<Gate>(executor_);
  gate->promised = purpose == Purpose::kRequest;
  gates_.emplace(key, gate);  // unless another one dials as well
  ++dialling_;
  Dialling dialling{*this, key, gate};
  Result<DialledOrigin> origin = co_await dial();
  if (!origin) gate->failure = origin.error();
  if (!origin) co_return PassUp(origin.error());
  DialledOrigin made = *std::move(origin);
  co_return Keep(key, need, std::move(made), purpose);
}

Result<OpenedOrigin> OriginPool::Keep(const OriginKey& key,
                                      OriginNeed need,
                                      DialledOrigin origin,
                                      Purpose purpose) {
  if (closed_) {
    origin.connection->Close();
    return Fail(ErrorCode::kUnavailable, "the sandbox's rules were replaced: ask again");
  }
  if (http1_only_.size() >= kKnownOriginsMax) http1_only_.clear();
  if (origin.http2) {
    http1_only_.erase(key);
  } else if (need.version == OriginNeed::Version::kAny) {
    http1_only_.insert(key);
  }
  OpenedOrigin opened;
  if (purpose == Purpose::kRequest) {
    ASSIGN_OR_RETURN(opened.exchange, origin.connection->Open());
  }
  TrimIdle();
  entries_.push_back({key, std::move(origin)});
  return opened;
}

void OriginPool::DropSpent() {
  std::erase_if(entries_, [](const Entry& entry) {
    OriginConnection& connection = *entry.origin.connection;
    bool spent = connection.IsIdle() && !connection.CanOpen();
    if (spent) connection.Close();
    return spent;
  });
}

// An idle connection is worth less than a request: the one that was used longest ago goes.
bool OriginPool::MakeRoom() {
  DropSpent();
  if (entries_.size() + dialling_ < kOriginConnectionsMax) return true;
  auto idle = std::find_if(entries_.begin(), entries_.end(),
                           [](const Entry& entry) { return entry.origin.connection->IsIdle(); });
  if (idle == entries_.end()) return false;
  idle->origin.connection->Close();
  entries_.erase(idle);
  return true;
}

// Those that were used longest ago go first.
void OriginPool::TrimIdle() {
  auto is_idle = [](const Entry& entry) { return entry.origin.connection->IsIdle(); };
  auto idle = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_idle));
  std::erase_if(entries_, [&](const Entry& entry) {
    if (idle <= kIdleOriginsMax || !is_idle(entry)) return false;
    --idle;
    entry.origin.connection->Close();
    return true;
  });
}

void OriginPool::Tick(Time now) {
  for (Entry& entry : entries_) {
    OriginConnection& connection = *entry.origin.connection;
    connection.Tick(now);
    if (!connection.IsIdle()) {
      entry.idle_since = Time::max();
    } else if (entry.idle_since == Time::max()) {
      entry.idle_since = now;
    } else if (now - entry.idle_since >= kIdleOriginTime) {
      connection.Close();
    }
  }
  DropSpent();
  TrimIdle();
}

void OriginPool::CloseAll() {
  closed_ = true;
  for (Entry& entry : entries_) entry.origin.connection->Close();
  entries_.clear();
}

}  // namespace viv::gateway
