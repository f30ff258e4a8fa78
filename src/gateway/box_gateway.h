#pragma once
// The gateway of one box: serves its guest's connections, each as the TLS server that the guest
// meant to reach or in the clear, and keeps the connections to origins. What belongs to the box's
// loop is made there with the first connection and lives there while there are any, so that the
// interceptor itself may be dropped by any thread.

#include <atomic>
#include <memory>
#include <string>

#include "base/task.h"
#include "gateway/rules/credentials.h"
#include "gateway/tls/authority.h"
#include "gateway/tls/tls.h"
#include "gateway/way.h"
#include "network/interceptor.h"

namespace viv::gateway {

// What all boxes' gateways share. Thread-safe.
struct GatewayParts {
  std::unique_ptr<Authority> authority;
  std::unique_ptr<OriginTls> origin_tls;
};

class BoxGateway final : public network::Interceptor {
 public:
  BoxGateway(std::shared_ptr<GatewayParts> parts, std::shared_ptr<Credentials> credentials);
  ~BoxGateway() override;

  bool Names(std::string_view host) const override;
  Task<void> Serve(std::shared_ptr<network::Flow> flow,
                   network::Opening opening,
                   std::string taken) override;
  void GiveWayTo(network::Interceptor* next) override;
  Task<void> ServeOver(std::shared_ptr<Way> way, network::Opening opening, std::string taken);

 private:
  struct House;
  class Connection;

  std::shared_ptr<House> OpenHouse(asio::any_io_executor executor);  // on the loop
  static Task<void> Keep(std::shared_ptr<House> house);
  static Task<void> ServeGuarded(std::shared_ptr<Connection> connection,
                                 std::string host,
                                 std::string taken);

  const std::shared_ptr<GatewayParts> parts_;
  const std::shared_ptr<Credentials> credentials_;
  // Shared with the house, which looks at it regularly: a loop that is gone needs no telling.
  const std::shared_ptr<std::atomic<bool>> dropped_;
  std::weak_ptr<House> house_;
};

}  // namespace viv::gateway
