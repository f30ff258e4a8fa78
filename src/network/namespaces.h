#pragma once
// A pool of network namespaces for boxes. Each has only `lo` with a routable address, a local route
// for every destination, and nft rules that direct TCP and DNS to sockets that this server opens
// inside. They belong to the host's user namespace, so that root in a box has no capability over
// them. A released one is reused after a check that nothing of the last box is left. Thread-safe.
// The mounts that keep them are private to the server's mount namespace: a process that should not
// copy them starts earlier, or pivots away.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

// The ports inside the namespace to which the nft rules direct TCP and DNS.
constexpr std::uint16_t kTcpListenerPort = 15001;
constexpr std::uint16_t kDnsListenerPort = 15053;

// The box's own addresses, and the nameserver in its /etc/resolv.conf. The latter is not the box's
// own, so that the rules direct questions to the listener while the box may still serve port 53
// itself.
constexpr std::string_view kBoxAddress = "10.255.0.1";
constexpr std::string_view kBoxAddress6 = "fd00::1";
constexpr std::string_view kNameserver = "10.255.0.53";

class Namespaces {
 public:
  // A bind mount DIR/NAME keeps each namespace alive, so that a later server finds it.
  static Result<std::unique_ptr<Namespaces>> Open(const std::string& directory);
  virtual ~Namespaces() = default;

  struct Handle {
    std::string name;
    UniqueFd fd;
  };
  virtual Result<Handle> Acquire() = 0;                        // from the pool, or new
  virtual Result<UniqueFd> Find(const std::string& name) = 0;  // after a restart
  // Call it once no process of the box lives. The check runs in the background.
  virtual void Release(const std::string& name) = 0;
  // The acquired ones and those that an earlier server left. The latter have to be released unless
  // a box has them.
  virtual std::vector<std::string> List() = 0;
  virtual void SetReadyCount(std::size_t count) = 0;  // keeps that many ready in the background
  virtual void WaitUntilIdle() = 0;  // until all released ones are checked and enough are ready
};

// Sockets inside a namespace, made by a thread that enters it. The caller's namespace does not
// change.
struct EgressListeners {
  // The local address of a socket that it accepts is the destination that the guest dialled.
  UniqueFd tcp;
  UniqueFd dns;
};
Result<EgressListeners> OpenEgressListeners(int netns);
// Connects to a port of the box without waiting: at 127.0.0.1, then [::1]. kNotFound: nobody
// listens. kUnavailable: the listener's queue is full.
Result<UniqueFd> DialInNamespace(int netns, std::uint16_t port);

}  // namespace viv::network
