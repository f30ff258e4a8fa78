#include "gateway/origin_pool.h"

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

struct OriginPool::PendingDial {
  explicit PendingDial(const asio::any_io_executor& executor)
      : done(executor, std::chrono::steady_clock::time_point::max()) {}

  asio::steady_timer done;
  bool is_done = false;
  bool claimed = true;  // a request waits for it; otherwise the first request that comes must
  std::optional<Error> failure;
};

Task<Result<OpenedOrigin>> OriginPool::Open(OriginKey key,
                                            OriginRequirements requirements,
                                            DialOrigin dial) {
  while (!closed_) {
    OpenedOrigin existing{OpenOnExisting(key, requirements)};
    if (existing.exchange) co_return existing;
    if (!MustWaitForDial(key, requirements))
      co_return co_await DialNew(std::move(key), requirements, std::move(dial), Purpose::kRequest);
    std::shared_ptr<PendingDial> pending = pending_dials_.at(key);
    while (!pending->is_done) co_await pending->done.async_wait(http::kTuple);
    if (pending->failure) co_return PassUp(*pending->failure);
  }
  co_return Fail(ErrorCode::kUnavailable, "the sandbox's rules were replaced: ask again");
}

Task<void> OriginPool::Preconnect(OriginKey key, DialOrigin dial) {
  if (closed_ || HasUsable(key) || pending_dials_.contains(key)) co_return;
  OriginRequirements requirements;
  co_await DialNew(std::move(key), requirements, std::move(dial), Purpose::kPreconnect);
}

bool OriginPool::HasUsable(const OriginKey& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.key == key && entry.origin.connection->CanOpen();
  });
}

std::unique_ptr<OriginExchange> OriginPool::OpenOnExisting(const OriginKey& key,
                                                           OriginRequirements requirements) {
  if (requirements.freshness == OriginRequirements::Freshness::kFresh) return nullptr;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    bool fits = !entry->origin.http2 || requirements.version == OriginRequirements::Version::kAny;
    if (!fits || entry->key != key || !entry->origin.connection->CanOpen()) continue;
    Result<std::unique_ptr<OriginExchange>> opened = entry->origin.connection->Open();
    if (!opened) continue;
    entry->idle_since = Time::max();
    std::rotate(entry.base() - 1, entry.base(), entries_.end());
    return *std::move(opened);
  }
  return nullptr;
}

bool OriginPool::MustWaitForDial(const OriginKey& key, OriginRequirements requirements) {
  auto pending = pending_dials_.find(key);
  if (pending == pending_dials_.end() ||
      requirements.version != OriginRequirements::Version::kAny ||
      requirements.freshness != OriginRequirements::Freshness::kAny)
    return false;
  bool dialled_for_it = !std::exchange(pending->second->claimed, true);
  return dialled_for_it || (key.secure && !http1_only_.contains(key));
}

Task<Result<OpenedOrigin>> OriginPool::DialNew(OriginKey key,
                                               OriginRequirements requirements,
                                               DialOrigin dial,
                                               Purpose purpose) {
  if (!MakeRoom()) {
    co_return Fail(ErrorCode::kLimitExceeded,
                   "the sandbox has too many connections open: end some and ask again");
  }
  // However this ends, by a return or an exception, the waiting requests continue.
  struct Dialling {
    OriginPool& pool;
    const OriginKey& key;
    std::shared_ptr<PendingDial> pending;
    ~Dialling() {
      --pool.dialling_;
      pending->is_done = true;
      pending->done.cancel();
      auto own = pool.pending_dials_.find(key);
      if (own != pool.pending_dials_.end() && own->second == pending)
        pool.pending_dials_.erase(own);
    }
  };
  auto pending = std::make_shared<PendingDial>(executor_);
  pending->claimed = purpose == Purpose::kRequest;
  pending_dials_.emplace(key, pending);  // does nothing if another dial is pending
  ++dialling_;
  Dialling dialling{*this, key, pending};
  Result<DialledOrigin> origin = co_await dial();
  if (!origin) pending->failure = origin.error();
  if (!origin) co_return PassUp(origin.error());
  DialledOrigin made = *std::move(origin);
  co_return AddConnection(key, requirements, std::move(made), purpose);
}

Result<OpenedOrigin> OriginPool::AddConnection(const OriginKey& key,
                                               OriginRequirements requirements,
                                               DialledOrigin origin,
                                               Purpose purpose) {
  if (closed_) {
    origin.connection->Close();
    return Fail(ErrorCode::kUnavailable, "the sandbox's rules were replaced: ask again");
  }
  if (http1_only_.size() >= kKnownOriginsMax) http1_only_.clear();
  if (origin.http2) {
    http1_only_.erase(key);
  } else if (requirements.version == OriginRequirements::Version::kAny) {
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

void OriginPool::CloseUnusable() {
  std::erase_if(entries_, [](const Entry& entry) {
    OriginConnection& connection = *entry.origin.connection;
    bool unusable = connection.IsIdle() && !connection.CanOpen();
    if (unusable) connection.Close();
    return unusable;
  });
}

// A request is worth more than an idle connection: the least recently used one is closed.
bool OriginPool::MakeRoom() {
  CloseUnusable();
  if (entries_.size() + dialling_ < kOriginConnectionsMax) return true;
  auto idle = std::find_if(entries_.begin(), entries_.end(),
                           [](const Entry& entry) { return entry.origin.connection->IsIdle(); });
  if (idle == entries_.end()) return false;
  idle->origin.connection->Close();
  entries_.erase(idle);
  return true;
}

// Closes the least recently used ones first.
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
  CloseUnusable();
  TrimIdle();
}

void OriginPool::CloseAll() {
  closed_ = true;
  for (Entry& entry : entries_) entry.origin.connection->Close();
  entries_.clear();
}

}  // namespace viv::gateway
