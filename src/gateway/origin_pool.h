#pragma once
// A box's open connections to origins, so that a request can reuse one. Nothing is shared between
// boxes, hosts or addresses. Belongs to one loop.

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

  // Opens an exchange on an open connection or on a new one. If several requests for an unknown
  // origin come at once, only one dials, because all may fit on one HTTP/2 connection. The pool
  // outlives the call.
  Task<Result<OpenedOrigin>> Open(OriginKey key, OriginRequirements requirements, DialOrigin dial);
  // Dials for a request that is about to come, unless a connection is open or being dialled. If the
  // request comes in time, it gets the dial's failure. The pool outlives the call.
  Task<void> Preconnect(OriginKey key, DialOrigin dial);

  // Call it regularly: it checks deadlines and drops connections that are dead or idle for long.
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
  struct PendingDial;  // other requests wait for it

  enum class Purpose { kRequest, kPreconnect };  // preconnect: no exchange is opened

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
  std::vector<Entry> entries_;  // the most recently used last
  std::map<OriginKey, std::shared_ptr<PendingDial>> pending_dials_;
  std::set<OriginKey> http1_only_;  // as their last connection negotiated
  std::size_t dialling_ = 0;
  bool closed_ = false;
};

}  // namespace viv::gateway
