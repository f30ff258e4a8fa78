#pragma once
// All traffic out of a box passes through this. For each box it opens two listeners inside the
// box's network namespace: a TCP socket and a DNS socket. For each connection it checks the
// original destination and the name that the guest resolved against the box's rules, then dials and
// pipes. Our own resolver answers DNS and remembers which name gave which address. If rules contain
// names, the SNI or Host that the guest sends first has to agree with the name that it resolved. If
// an interceptor handles the host, it gets the connection. Thread-safe.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "network/flow_log.h"
#include "network/interceptor.h"
#include "network/policy.h"
#include "network/socks.h"

namespace viv::network {

struct EgressOptions {
  std::vector<std::string> resolvers;     // HOST[:PORT]; empty: those of /etc/resolv.conf
  std::vector<std::string> open_private;  // entries that may be dialled although they are private
  std::size_t connections_per_box_max = 1024;
  std::size_t connections_max = 0;  // of all boxes; 0: a quarter of the process's descriptor limit
  // How long a guest may take to complete its first message once it has begun.
  std::chrono::milliseconds first_bytes_timeout{10'000};
  FlowLog* flow_log = nullptr;  // outlives the egress; nullptr: flows are not logged
};

// The egress settings of one box.
struct BoxEgress {
  std::string box_id;  // for the flow log; empty: the box belongs to nobody yet
  Policy policy;
  std::optional<SocksProxy> proxy;           // allowed connections go through it
  std::shared_ptr<Interceptor> interceptor;  // nullptr: no requests are read
};

class Egress {
 public:
  static Result<std::unique_ptr<Egress>> Start(EgressOptions options);  // it has its own threads
  virtual ~Egress() = default;

  // Opens the listeners of `box` in that namespace, which is borrowed. Does not block.
  virtual Status Open(const std::string& box, int netns, BoxEgress egress) = 0;
  // Applies to new connections at once, and to the next requests of intercepted ones. Flows that
  // the new rules forbid are aborted. A new proxy aborts all intercepted flows.
  virtual Status Set(const std::string& box, BoxEgress egress) = 0;
  virtual void Close(const std::string& box) = 0;  // aborts the open flows
  // Checks whether a box may have this proxy. kPermissionDenied, "HOST resolves to ADDRESS": that
  // address may not be dialled. Other errors say why the host has no address. The check is repeated
  // at each dial.
  virtual Task<Status> CheckProxy(SocksProxy proxy) = 0;

  struct Traffic {
    std::uint64_t bytes_in = 0, bytes_out = 0;  // into and out of the box
    std::uint64_t connections = 0;              // allowed ones
    std::uint64_t refused = 0;  // connections and DNS questions, by the policy or a limit
  };
  virtual Traffic Read(const std::string& box) const = 0;
};

}  // namespace viv::network
