#pragma once
// Decides a connection by the first bytes that its guest sends. This is only needed where the box's
// rules contain names, or where an interceptor may have to serve the connection.

#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "network/first_bytes.h"
#include "network/flow.h"

namespace viv::network {

// Whether the guest may ask for this host on this connection.
struct HostDecision {
  bool allowed = false;
  std::string rule;    // the policy's rule, if the policy was asked
  std::string reason;  // why it is refused, and what to do about it
};
HostDecision DecideHost(const Flow& flow, std::string_view host);

struct SniffDecision {
  enum class Action { kPass, kIntercept, kRefuse };
  Action action = Action::kPass;
  std::string name;    // the host in the first bytes; empty: none
  std::string rule;    // as above; empty: the earlier rule stays
  std::string reason;  // why it is refused
};
SniffDecision DecideByFirstBytes(const Flow& flow, const FirstBytes& first_bytes);

// Whether the guest resolved a host that is intercepted.
bool MayNeedInterception(const Flow& flow);

// Serves a flow that is allowed by its address and names. If no interceptor can be needed, the
// remote side is dialled before the guest sends anything, and may send first. Otherwise a guest
// that waits for the server is connected after kGuestSpeaksFirstTimeout. The first bytes are
// checked when they arrive.
Task<void> SniffAndServe(std::shared_ptr<Flow> flow);

}  // namespace viv::network
