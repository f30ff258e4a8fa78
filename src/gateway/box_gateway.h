#pragma once
// The gateway of one box. It serves the guest's connections, as the TLS server that the guest
// dialled or in plain HTTP, and pools the connections to origins. State that belongs to the box's
// loop is made there with the first connection and lives as long as there are any, so that any
// thread may destroy the interceptor itself.

#include <atomic>
#include <memory>
#include <string>

#include "base/task.h"
#include "gateway/intercepted_flow.h"
#include "gateway/rules/credentials.h"
#include "gateway/tls/certificate_authority.h"
#include "gateway/tls/tls.h"
#include "network/interceptor.h"

namespace viv::gateway {

// What the gateways of all boxes share. Thread-safe.
struct GatewayParts {
  std::unique_ptr<CertificateAuthority> certificate_authority;
  std::unique_ptr<OriginTls> origin_tls;
};

class BoxGateway final : public network::Interceptor {
 public:
  BoxGateway(std::shared_ptr<GatewayParts> parts, std::shared_ptr<Credentials> credentials);
  ~BoxGateway() override;

  bool InterceptsHost(std::string_view host) const override;
  Task<void> Serve(std::shared_ptr<network::Flow> flow,
                   network::FirstBytes first_bytes,
                   std::string already_read) override;
  void OnReplacedBy(network::Interceptor* next) override;
  Task<void> ServeFlow(std::shared_ptr<InterceptedFlow> flow,
                       network::FirstBytes first_bytes,
                       std::string already_read);

 private:
  struct LoopState;
  class GuestConnection;

  std::shared_ptr<LoopState> GetLoopState(asio::any_io_executor executor);  // called on the loop
  static Task<void> RunTicks(std::shared_ptr<LoopState> loop_state);
  static Task<void> ServeAndCatch(std::shared_ptr<GuestConnection> connection,
                                  std::string host,
                                  std::string already_read);

  const std::shared_ptr<GatewayParts> parts_;
  const std::shared_ptr<Credentials> credentials_;
  // Shared with the loop's state, which polls it: a loop that is gone need not be told.
  const std::shared_ptr<std::atomic<bool>> dropped_;
  std::weak_ptr<LoopState> loop_state_;
};

}  // namespace viv::gateway
