#pragma once
// The egress's state of one box: its listeners, its rules, the names it resolved, its open flows
// and its counters. Everything but the counters belongs to the thread of the box's loop.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "network/egress.h"
#include "network/loop.h"
#include "network/namespaces.h"
#include "network/policy.h"
#include "network/resolved_names.h"
#include "network/stream.h"

namespace viv::network {

class Flow;

// Limits of one box besides its connections.
constexpr std::size_t kQuestionsPerBoxMax = 64;
constexpr std::size_t kDnsConnectionsPerBoxMax = 16;

struct BoxCounters {
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0}, connections{0}, refused{0};
};

// The address of the box's proxy, cached so that not every connection resolves its name.
struct ResolvedProxy {
  Endpoint endpoint;
  ResolvedNames::Time until;
};

// Its owner and every coroutine that serves it share it: coroutines end a little after Close.
class Box {
 public:
  Box(Loop& of_loop, EgressListeners listeners, Rules its_rules, BoxEgress egress);

  // Whether it is a private address, or one of this machine's, that the operator has not opened.
  bool IsClosedPrivate(const Endpoint& destination) const;
  // Decides a connection by one of these names or, if there is none, by its address.
  Decision Decide(const Endpoint& destination, const std::vector<std::string>& names) const;
  // Whether the first bytes of a connection have to be read.
  bool SniffsConnections() const { return interceptor != nullptr || rules.HasNameEntries(); }
  // Aborts the flows that the new rules forbid. If the proxy changes, it aborts all intercepted
  // flows.
  void Set(Rules rules, BoxEgress egress);
  void Close();  // closes both listeners and aborts all flows
  bool closed() const { return closed_; }

  Loop& loop;
  Rules rules;
  std::string box_id;
  std::optional<SocksProxy> proxy;
  std::optional<ResolvedProxy> resolved_proxy;
  std::shared_ptr<Interceptor> interceptor;
  Stream tcp_listener, dns_listener;
  asio::steady_timer tcp_pause, dns_pause;  // between two batches of a box that floods
  ResolvedNames resolved_names;
  std::unordered_set<Flow*> flows;
  std::size_t questions = 0, dns_connections = 0;
  BoxCounters counters;

 private:
  // If the box has no interceptor now: the last one, which serves the flows that are still open.
  std::shared_ptr<Interceptor> last_interceptor_;
  bool closed_ = false;
};

}  // namespace viv::network
