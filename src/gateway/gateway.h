#pragma once
// The egress gateway applies the plans of boxes to the flows that the egress passes to it. Toward
// the guest it terminates TLS with a certificate of our own authority, which boxes trust. Toward
// the origin it is a normal TLS client, which verifies the certificate. One per server; its
// interceptors belong to the loops of their boxes. Thread-safe.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/rules/plan.h"
#include "network/interceptor.h"

namespace viv::gateway {

// Identifies the box in callbacks and in the log.
struct BoxIdentity {
  std::string box_id;
  std::string box_uuid;
  std::string account_id;
  std::string account_uuid;
};

// Reveals secrets when they are sent. Thread-safe; does not block.
class SecretSource {
 public:
  virtual ~SecretSource() = default;
  // kNotFound names the secret that the account does not have. No message contains a value.
  virtual Result<std::string> Reveal(const std::string& account_id, const SecretText& text) = 0;
};

struct GatewayOptions {
  std::string folder;  // for the authority and the signing key; created with mode 0700
  // The server's own URL, for the tokens of callbacks; called on any thread.
  std::function<std::string()> issuer;
  // PEM files of authorities that are trusted besides the machine's own.
  std::vector<std::string> origin_cas;
  SecretSource* secrets = nullptr;  // outlives the gateway
};

class Gateway {
 public:
  // Creates the authority and the signing key if there are none.
  static Result<std::unique_ptr<Gateway>> Open(GatewayOptions options);
  virtual ~Gateway() = default;  // destroy it after the egress that has its interceptors

  // With an empty plan nothing is added, but each plain HTTP request may still only name an allowed
  // host.
  virtual std::shared_ptr<network::Interceptor> InterceptorFor(const Plan& plan,
                                                               BoxIdentity identity) = 0;
  virtual const std::string& authority_pem() const = 0;  // the certificate that boxes trust
  virtual std::string JwksJson() const = 0;  // the keys with which callbacks verify tokens
};

}  // namespace viv::gateway
