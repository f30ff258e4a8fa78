#pragma once
// The MCP server of a simulated application, found by its lease.

#include "mcp/endpoint.h"
#include "mcp/protocol.h"

namespace viv::mcp {

class WorldEndpoint : public Endpoint {
 public:
  // Both outlive it.
  WorldEndpoint(const worlds::Sandboxes& sandboxes, Protocol& protocol, store::SandboxPtr sandbox)
      : sandboxes_(sandboxes), protocol_(protocol), sandbox_(std::move(sandbox)) {}

  std::string key() const override { return sandbox_->lease_id; }
  std::string query() const override { return "instance_id=" + sandbox_->lease_id; }
  std::string account_id() const override { return sandbox_->account_id; }
  bool exists() const override { return sandboxes_.FindLease(sandbox_->lease_id).has_value(); }

  Task<Reply> Handle(ReceivedMessage request, Caller caller) override;
  Task<void> Notify(ReceivedMessage notification, Caller caller) override;

 private:
  const worlds::Sandboxes& sandboxes_;
  Protocol& protocol_;
  const store::SandboxPtr sandbox_;
};

}  // namespace viv::mcp
