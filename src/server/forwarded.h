#pragma once
// What a reverse proxy says about the client's request: X-Forwarded-Proto and X-Forwarded-Host, the
// scheme and host that links in answers are made of. Only trusted addresses are believed.

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

// X-Forwarded-Host takes the place of a Host that is an address or "localhost": that is how a proxy
// which does not keep Host reaches us. Any other Host is a name of a page's own choice, perhaps
// (DNS rebinding), and stays for the origin check to judge.
http::Middleware Forwarded(TrustedProxies proxies);

}  // namespace viv::server
