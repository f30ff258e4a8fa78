#pragma once
// One box as the egress sees it: its doors, its rules, the names it resolved, what is open and what
// has passed. All but the counters belongs to the thread of its loop.

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

// What one box may have at a time besides its connections.
constexpr std::size_t kQuestionsPerBoxMax = 64;
constexpr std::size_t kDnsConnectionsPerBoxMax = 16;

struct BoxCounters {
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0}, connections{0}, refused{0};
};

// Where the box's proxy is, so that not every connection asks for its name.
struct ResolvedProxy {
  Endpoint endpoint;
  ResolvedNames::Time until;
};

// Shared by its owner and by every coroutine that serves it: those end a little after Close.
class Box {
 public:
  Box(Loop& of_loop, EgressListeners listeners, Rules its_rules, BoxEgress egress);

  // Whether a connection may be made, by one of these names or, without any, by its address.
  // Private addresses and this machine's own need the operator's word besides the box's rules.
  bool IsClosedPrivate(const Endpoint& destination) const;  // needs it and has it not
  Decision Decide(const Endpoint& destination, const std::vector<std::string>& names) const;
  // Whether what a guest says first matters.
  bool SniffsConnections() const { return interceptor != nullptr || rules.HasNameEntries(); }
  // Cuts the connections that the new rules forbid, and what is intercepted if the proxy changes.
  void Set(Rules rules, BoxEgress egress);
  void Close();  // both doors, and cuts all
  bool closed() const { return closed_; }

  Loop& loop;
  Rules rules;
  std::string box_id;
  std::optional<SocksProxy> proxy;
  std::optional<ResolvedProxy> resolved_proxy;
  std::shared_ptr<Interceptor> interceptor;
  Stream tcp_listener, dns_listener;
  asio::steady_timer tcp_pause, dns_pause;  // a box that floods is heard in turns
  ResolvedNames resolved_names;
  std::unordered_set<Flow*> flows;
  std::size_t questions = 0, dns_connections = 0;
  BoxCounters counters;

 private:
  // Where the box has none now: who serves what was open then, until there is one again.
  std::shared_ptr<Interceptor> last_interceptor_;
  bool closed_ = false;
};

}  // namespace viv::network
