#pragma once
// The one point all traffic out of a box passes. For each box it holds the doors: a TCP socket and
// a DNS socket opened inside the box's namespace. A connection's original destination and the name
// the guest resolved are judged by the box's rules; then this server dials out and pipes. DNS is
// answered by a resolver of our own, which remembers which name gave which address. Where the rules
// go by names, what the guest says first (SNI, Host) has to agree with the name it resolved; where
// an interceptor names the host, the connection is handed to it. Thread-safe.

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
  std::vector<std::string> open_private;  // entries that may be dialled although private
  std::size_t connections_per_box_max = 1024;
  std::size_t connections_max = 0;  // of all boxes; 0: a quarter of the descriptors we may open
  std::chrono::milliseconds first_bytes_timeout{10'000};  // for a guest's first message, once begun
  FlowLog* flow_log = nullptr;  // outlives the egress; nullptr: nothing is kept
};

// All that is said about one box's way out.
struct BoxEgress {
  std::string box_id;  // for the flow log; empty: nobody's yet
  Policy policy;
  std::optional<SocksProxy> proxy;           // what is admitted goes out through it
  std::shared_ptr<Interceptor> interceptor;  // nullptr: nothing is read
};

class Egress {
 public:
  static Result<std::unique_ptr<Egress>> Start(EgressOptions options);  // has threads of its own
  virtual ~Egress() = default;

  // Opens the doors of `box` in that namespace (borrowed). Quick.
  virtual Status Open(const std::string& box, int network, BoxEgress egress) = 0;
  // Applies at once to new connections, and to the next requests of those that are intercepted.
  // Connections that the new rules forbid are cut; a new proxy cuts what is intercepted.
  virtual Status Set(const std::string& box, BoxEgress egress) = 0;
  virtual void Close(const std::string& box) = 0;  // cuts what is open
  // Whether a box could have this proxy: kPermissionDenied, "HOST resolves to ADDRESS", when it is
  // at an address that may not be dialled; else why it has none. It is judged again when dialled.
  virtual Task<Status> CheckProxy(SocksProxy proxy) = 0;

  struct Traffic {
    std::uint64_t bytes_in = 0, bytes_out = 0;  // into and out of the box
    std::uint64_t connections = 0;              // that were let through
    std::uint64_t refused = 0;                  // connections and questions, by policy or a limit
  };
  virtual Traffic Read(const std::string& box) const = 0;
};

}  // namespace viv::network
