#pragma once
// Adds credentials to a request: the headers of the first rule that matches, those that a callback
// returns, or a provider's signature. One per box, on its loop. Values are revealed for one request
// and not stored, except for what a callback returned.

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "gateway/gateway.h"
#include "gateway/http/exchange.h"

namespace viv::gateway {

class CallbackClient;

struct Destination {
  std::string host;  // lower case
  std::uint16_t port = 0;
  bool secure = false;
};

struct AppliedCredentials {
  std::string rule;  // for the log: "header rule NAME", "callback HOST"; empty: none matched
};

// Why a request is not sent, as the guest gets it.
struct Refusal {
  int status = 502;
  std::string message;
  std::string rule = {};  // for the log, as in AppliedCredentials: the rule that matched
};

class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual bool AppliesToHost(std::string_view host) const = 0;
  // Whether Apply needs the whole body, up to kCredentialsBodyMax.
  enum class Body { kNotNeeded, kWhole };
  virtual Body NeedsBody(const RequestHead& head, const Destination& to) const = 0;
  // Changes the headers of `head`. `body` is what NeedsBody requested.
  virtual Task<tl::expected<AppliedCredentials, Refusal>> Apply(RequestHead& head,
                                                                Destination to,
                                                                std::string_view body,
                                                                bool body_truncated) = 0;
};

inline constexpr std::size_t kCredentialsBodyMax = 1 << 20;

std::unique_ptr<Credentials> MakeCredentials(Plan plan,
                                             BoxIdentity identity,
                                             SecretSource& secrets,
                                             std::shared_ptr<CallbackClient> callbacks);

}  // namespace viv::gateway
