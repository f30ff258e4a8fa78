#pragma once
// Applies X-Forwarded-Proto and X-Forwarded-Host of a reverse proxy, which are the scheme and host
// of links in responses. Only trusted addresses may send them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "network/policy_entry.h"

namespace viv::server {

class TrustedProxies {
 public:
  // Addresses and blocks of them, "10.0.0.0/8"; kInvalidArgument names the one that is neither.
  static Result<TrustedProxies> Read(const std::vector<std::string>& list);
  bool Contains(std::string_view remote) const;

 private:
  std::vector<network::AddressBlock> blocks_;
};

// X-Forwarded-Host replaces a Host that is an address or "localhost", because a proxy that does not
// preserve Host uses such a Host. Any other Host could be a DNS rebinding attack and stays for the
// origin check.
http::Middleware Forwarded(TrustedProxies proxies);

}  // namespace viv::server
