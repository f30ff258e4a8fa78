#pragma once
// The connections to origins that a box has open, so that a request finds one that stands already.
// Nothing is shared between boxes, nor between hosts or addresses. Belongs to one loop.

#include <chrono>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "gateway/carry.h"
#include "gateway/http/exchange.h"
#include "network/address.h"

namespace viv::gateway {

struct OriginKey {
  bool secure = false;
  std::string host;
  network::Address address;
  std::uint16_t port = 0;

  auto operator<=>(const OriginKey&) const = default;
};

struct DialledOrigin {
  std::shared_ptr<OriginConnection> connection;
  bool http2 = false;
};

class OriginPool {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using DialOrigin = std::function<Task<Result<DialledOrigin>>()>;

  explicit OriginPool(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  ~OriginPool() { CloseAll(); }
  OriginPool(const OriginPool&) = delete;
  OriginPool& operator=(const OriginPool&) = delete;

  // An exchange on a connection that stands, or on a new one. Of many who ask at once for an origin
  // that is not known yet one dials, for all may fit on one connection of HTTP/2. This outlives it.
  Task<Result<OpenedOrigin>> Open(OriginKey key, OriginNeed need, DialOrigin dial);
  // Dials ahead of a request that is about to come, unless one stands or is on its way. The request
  // meets its failure, if it comes in time. This outlives it.
  Task<void> Prepare(OriginKey key, DialOrigin dial);

  // Regularly: keeps deadlines, and drops what is dead or was idle for long.
  void Tick(Time now);
  void CloseAll();
  bool empty() const { return entries_.empty() && dialling_ == 0; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    OriginKey key;
    DialledOrigin origin;
    Time idle_since = Time::max();
  };
  struct Gate;  // where others wait for the one who dials

  enum class Purpose { kRequest, kAhead };  // ahead: no exchange is opened

  std::unique_ptr<OriginExchange> TakeStanding(const OriginKey& key, OriginNeed need);
  bool Stands(const OriginKey& key) const;
  bool MustWait(const OriginKey& key, OriginNeed need);
  Task<Result<OpenedOrigin>> DialNew(OriginKey key,
                                     OriginNeed need,
                                     DialOrigin dial,
                                     Purpose purpose);
  Result<OpenedOrigin> Keep(const OriginKey& key,
                            OriginNeed need,
                            DialledOrigin origin,
                            Purpose purpose);
  void DropSpent();
  void TrimIdle();
  bool MakeRoom();  // for one more connection

  const asio::any_io_executor executor_;
  std::vector<Entry> entries_;  // the one used last stands last
  std::map<OriginKey, std::shared_ptr<Gate>> gates_;
  std::set<OriginKey> http1_only_;  // as their last connection said
  std::size_t dialling_ = 0;
  bool closed_ = false;
};

}  // namespace viv::gateway
