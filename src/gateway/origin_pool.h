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

#include "gateway/forward_request.h"
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
  Task<Result<OpenedOrigin>> Open(OriginKey key, OriginRequirements requirements, DialOrigin dial);
  // Dials ahead of a request that is about to come, unless one stands or is on its way. The request
  // meets its failure, if it comes in time. This outlives it.
  Task<void> Preconnect(OriginKey key, DialOrigin dial);

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
  struct PendingDial;  // where others wait for the one who dials

  enum class Purpose { kRequest, kPreconnect };  // ahead: no exchange is opened

  std::unique_ptr<OriginExchange> OpenOnExisting(const OriginKey& key,
                                                 OriginRequirements requirements);
  bool HasUsable(const OriginKey& key) const;
  bool MustWaitForDial(const OriginKey& key, OriginRequirements requirements);
  Task<Result<OpenedOrigin>> DialNew(OriginKey key,
                                     OriginRequirements requirements,
                                     DialOrigin dial,
                                     Purpose purpose);
  Result<OpenedOrigin> AddConnection(const OriginKey& key,
                                     OriginRequirements requirements,
                                     DialledOrigin origin,
                                     Purpose purpose);
  void CloseUnusable();
  void TrimIdle();
  bool MakeRoom();  // for one more connection

  const asio::any_io_executor executor_;
  std::vector<Entry> entries_;  // the one used last stands last
  std::map<OriginKey, std::shared_ptr<PendingDial>> pending_dials_;
  std::set<OriginKey> http1_only_;  // as their last connection said
  std::size_t dialling_ = 0;
  bool closed_ = false;
};

}  // namespace viv::gateway
