#pragma once
// The egress gateway: carries out the plans of boxes on the connections that the egress hands over.
// TLS toward the guest is ended with a certificate of our own authority, which boxes trust; toward
// the origin it is a client like any other, that checks the certificate. One per server; its
// interceptors belong to the loops of their boxes. Thread-safe.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/rules/plan.h"
#include "network/interceptor.h"

namespace viv::gateway {

// Whose requests they are, as callbacks and the log are told.
struct BoxIdentity {
  std::string box_id;
  std::string box_uuid;
  std::string account_id;
  std::string account_uuid;
};

// Gives the plain text of secrets at the moment they are sent. Thread-safe and quick.
class SecretSource {
 public:
  virtual ~SecretSource() = default;
  // kNotFound names the secret that the account does not have; no message has a value.
  virtual Result<std::string> Reveal(const std::string& account_id, const SecretText& text) = 0;
};

struct GatewayOptions {
  std::string folder;                   // of the authority and the signing key; made, 0700
  std::function<std::string()> issuer;  // our own origin, for callbacks' tokens; any thread
  std::vector<std::string> origin_cas;  // PEM files trusted beside the machine's own
  SecretSource* secrets = nullptr;      // outlives the gateway
};

class Gateway {
 public:
  // Makes the authority and the signing key where there are none.
  static Result<std::unique_ptr<Gateway>> Open(GatewayOptions options);
  virtual ~Gateway() = default;  // after the egress whose interceptors it made

  // With an empty plan nothing is added, but every request in the clear is still held to its host.
  virtual std::shared_ptr<network::Interceptor> InterceptorFor(const Plan& plan,
                                                               BoxIdentity identity) = 0;
  virtual const std::string& authority_pem() const = 0;  // what boxes trust
  virtual std::string JwksJson() const = 0;              // what callbacks verify tokens with
};

}  // namespace viv::gateway
