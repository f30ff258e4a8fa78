#pragma once
// The components of egress: the gateway that applies the boxes' rules, the accounts' secrets that
// it may use, and the log of connections.

#include <memory>
#include <mutex>
#include <string>

#include "accounts/account_secrets.h"
#include "accounts/document_table.h"
#include "accounts/sealer.h"
#include "base/result.h"
#include "gateway/gateway.h"
#include "http/router.h"
#include "network/flow_log.h"
#include "server/settings.h"
#include "store/store.h"

namespace viv::server {

class EgressService {
 public:
  static Result<std::unique_ptr<EgressService>> Open(const Settings& settings,
                                                     store::Store& store,
                                                     const std::string& secret);

  gateway::Gateway& gateway() { return *gateway_; }
  network::FlowLog& flow_log() { return *flow_log_; }
  accounts::AccountSecrets& secrets() { return *account_secrets_; }
  const accounts::Sealer& sealer() const { return sealer_; }

  // Sets the URL under which clients reach this server, once it is known: callbacks get our public
  // key there.
  void SetOrigin(std::string origin);
  void AddTo(http::Router& router);  // /.well-known/jwks.json

 private:
  explicit EgressService(const std::string& secret) : sealer_(secret) {}

  std::mutex mutex_;  // guards the one below
  std::string origin_;
  const accounts::Sealer sealer_;
  std::unique_ptr<accounts::DocumentTable> table_;
  std::unique_ptr<accounts::AccountSecrets> account_secrets_;
  std::unique_ptr<network::FlowLog> flow_log_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

}  // namespace viv::server
