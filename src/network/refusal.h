#pragma once
// Tells a guest in its own protocol that its connection is refused: by a TLS alert or an HTTP
// response. Other protocols get a reset.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/first_bytes.h"
#include "network/flow.h"

namespace viv::network {

// The bytes to send; empty if the guest would not understand any. `already_read` is what the guest
// has sent.
std::string RefusalBytes(const FirstBytes& first_bytes,
                         const std::string& already_read,
                         const std::string& why);

// Sends `message` and ends the flow. The guest's bytes are still read for a moment, because unread
// bytes would turn the close into a reset that overtakes the message.
Task<void> RefuseFlow(std::shared_ptr<Flow> flow, std::string message, std::string why);

// Ends the flow at once with a reset.
void RefuseWithReset(Flow& flow, std::string why);

}  // namespace viv::network
