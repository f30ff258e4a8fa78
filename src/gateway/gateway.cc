#include "gateway/gateway.h"

#include <utility>

#include "gateway/box_gateway.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/credentials.h"
#include "network/dial_guard.h"

namespace viv::gateway {
namespace {

// Parts that outlive the gateway itself while an interceptor still needs them.
struct SigningParts : GatewayParts {
  std::unique_ptr<TokenSigner> signer;
  std::shared_ptr<CallbackClient> callbacks;
};

class EgressGateway final : public Gateway {
 public:
  EgressGateway(std::shared_ptr<SigningParts> parts, SecretSource& secrets)
      : parts_(std::move(parts)), secrets_(secrets) {}

  std::shared_ptr<network::Interceptor> InterceptorFor(const Plan& plan,
                                                       BoxIdentity identity) override {
    // Whoever holds the client also holds the parts that it uses.
    std::shared_ptr<CallbackClient> callbacks(parts_, parts_->callbacks.get());
    std::shared_ptr<Credentials> credentials =
        MakeCredentials(plan, std::move(identity), secrets_, std::move(callbacks));
    return std::make_shared<BoxGateway>(parts_, std::move(credentials));
  }

  const std::string& authority_pem() const override { return parts_->certificate_authority->pem(); }
  std::string JwksJson() const override { return parts_->signer->JwksJson(); }

 private:
  const std::shared_ptr<SigningParts> parts_;
  SecretSource& secrets_;
};

}  // namespace

Result<std::unique_ptr<Gateway>> Gateway::Open(GatewayOptions options) {
  if (options.secrets == nullptr) {
    return Fail(ErrorCode::kInternal, "a gateway needs a source of secrets");
  }
  auto parts = std::make_shared<SigningParts>();
  ASSIGN_OR_RETURN(parts->certificate_authority, CertificateAuthority::Open(options.folder),
                   "open the authority");
  ASSIGN_OR_RETURN(parts->signer, TokenSigner::Open(options.folder, options.issuer),
                   "open the signing key");
  ASSIGN_OR_RETURN(parts->origin_tls, OriginTls::Open(options.origin_cas),
                   "read the certificates that origins are checked by");
  // A callback is the account's own server, which may run in the same network as this one.
  PostLimits limits;
  limits.check_address = [guard = network::DialGuard::AllButMetadata()](const std::string& address,
                                                                        std::uint16_t port) {
    return guard.Check(address, port);
  };
  parts->callbacks =
      std::make_shared<CallbackClient>(*parts->signer, *parts->origin_tls, std::move(limits));
  return std::make_unique<EgressGateway>(std::move(parts), *options.secrets);
}

}  // namespace viv::gateway
