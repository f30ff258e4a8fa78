#pragma once
// Network namespaces for boxes: only `lo` with a routable address, a local route for everything,
// and nft rules that lead TCP and DNS to sockets which this server opens inside. They belong to the
// host's user namespace, so box root has no power over them. Pooled and recycled after a check that
// nothing of the last box is left. Thread-safe. The mounts that keep them are private to the mount
// namespace of the server: a process that should not copy them starts before, or pivots away.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

// Ports inside the namespace that the rules lead to.
constexpr std::uint16_t kTcpListenerPort = 15001;
constexpr std::uint16_t kDnsListenerPort = 15053;

// The box's own addresses, and what its /etc/resolv.conf names: an address that is not its own, so
// that the rules lead questions to the door while the box may still serve port 53 itself.
constexpr std::string_view kBoxAddress = "10.255.0.1";
constexpr std::string_view kBoxAddress6 = "fd00::1";
constexpr std::string_view kNameserver = "10.255.0.53";

class Namespaces {
 public:
  // Each namespace is kept alive by a bind mount DIR/NAME, so that a later start finds it.
  static Result<std::unique_ptr<Namespaces>> Open(const std::string& directory);
  virtual ~Namespaces() = default;

  struct Handle {
    std::string name;
    UniqueFd fd;
  };
  virtual Result<Handle> Acquire() = 0;                        // from the pool, or a new one
  virtual Result<UniqueFd> Find(const std::string& name) = 0;  // after a restart
  virtual void Release(
      const std::string& name) = 0;  // once nothing of the box lives; in background
  // Those taken and those an earlier server left, which have to be returned unless a box has them.
  virtual std::vector<std::string> List() = 0;
  virtual void SetReadyCount(std::size_t count) = 0;  // has that many ready, made off the path
  virtual void
  WaitUntilIdle() = 0;  // waits until all that was returned is checked and the stock is full
};

// Sockets inside a namespace, made by a thread that visits it; the caller's namespace is unchanged.
struct EgressListeners {
  UniqueFd tcp;  // what it accepts has the address that the guest meant
  UniqueFd dns;
};
Result<EgressListeners> OpenEgressListeners(int network);
// A connection to a port of the box, at once: 127.0.0.1 first, then [::1]. kNotFound when nobody
// listens, kUnavailable when the listener's queue is full.
Result<UniqueFd> DialInNamespace(int network, std::uint16_t port);

}  // namespace viv::network
