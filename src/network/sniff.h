#pragma once
// Judging a connection by what its guest says first. Done only where that matters: the box's rules
// go by names, or an interceptor is to have some of its connections.

#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "network/first_bytes.h"
#include "network/flow.h"

namespace viv::network {

// Whether the guest may mean this host by this connection, and why not.
struct HostDecision {
  bool allowed = false;
  std::string rule;    // of the policy, as far as it was asked
  std::string reason;  // of a refusal, and what to do about it
};
HostDecision DecideHost(const Flow& flow, std::string_view host);

struct SniffDecision {
  enum class Action { kPass, kIntercept, kRefuse };
  Action action = Action::kPass;
  std::string name;    // that it settles on; empty: none
  std::string rule;    // as above; empty: what was said before stands
  std::string reason;  // of a refusal
};
SniffDecision DecideByFirstBytes(const Flow& flow, const FirstBytes& first_bytes);

// Whether the guest resolved a name that is to be intercepted.
bool MayNeedInterception(const Flow& flow);

// Serves a flow that was admitted by its address and names. Where it cannot be for the interceptor,
// the other side is dialled while the guest prepares its first bytes, and may speak first; else a
// guest that waits for that is connected after a moment. Its first bytes are judged when they come.
Task<void> SniffAndServe(std::shared_ptr<Flow> flow);

}  // namespace viv::network
