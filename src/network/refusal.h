#pragma once
// How a guest learns that its connection is refused, in the protocol it speaks: an alert of TLS, an
// answer of HTTP. What speaks neither is reset.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/first_bytes.h"
#include "network/flow.h"

namespace viv::network {

// The bytes to say; empty when nothing would be understood. `already_read` is what the guest said.
std::string RefusalBytes(const FirstBytes& first_bytes,
                         const std::string& already_read,
                         const std::string& why);

// Says so and ends the flow. The guest's side is read on for a moment, since unread bytes would
// turn the end into a reset that overtakes the words.
Task<void> RefuseFlow(std::shared_ptr<Flow> flow, std::string message, std::string why);

// Ends it at once, as far as its guest is concerned with a reset.
void RefuseWithReset(Flow& flow, std::string why);

}  // namespace viv::network
