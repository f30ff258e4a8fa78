#pragma once
// Which addresses this server dials because somebody else named them: a guest, a URL to download, a
// proxy, a callback. The one rule for all of them. A value: copies share what was compiled.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

class DialGuard {
 public:
  // Public addresses alone.
  DialGuard();
  // Also what the operator's entries (policy.h) open. Loopback, the unspecified address included,
  // is opened only by entries that name it: an operator who opens everything for boxes, which have
  // a loopback of their own, does not mean this machine's. kInvalidArgument names a bad entry.
  static Result<DialGuard> Compile(const std::vector<std::string>& open_private);
  // Everything but metadata services: for servers that may stand beside this one.
  static DialGuard AllButMetadata();

  // Metadata services never; private addresses and those of this machine only where opened.
  bool Allows(const Endpoint& endpoint) const;
  // kPermissionDenied, with a reason for whoever named the address, or text that is none.
  Status Check(std::string_view address, std::uint16_t port) const;

  // Whether an entry opens some port of this private address; for answers to questions of names,
  // which have no port. A box's loopback is its own, so it counts as any other here.
  bool OpensSomePort(const Address& address) const;

 private:
  struct Opened;
  explicit DialGuard(std::shared_ptr<const Opened> opened) : opened_(std::move(opened)) {}

  std::shared_ptr<const Opened> opened_;  // shared: it is large, immutable and copied into closures
};

}  // namespace viv::network
