#pragma once
// The coroutines that serve a box's two listeners. Both run on the box's loop until the box is
// closed.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/box.h"
#include "network/flow.h"

namespace viv::network {

// Accepts connections. For each it finds the original destination, decides, dials and pipes.
Task<void> ServeTcpListener(std::shared_ptr<Box> box);
// Dials the flow's remote side. Returns false and aborts the flow if that fails or the flow was
// aborted meanwhile.
Task<bool> ConnectFlow(std::shared_ptr<Flow> flow);
// Answers DNS questions that arrive as datagrams.
Task<void> ServeDnsListener(std::shared_ptr<Box> box);
// Answers DNS questions on a TCP connection to port 53 of any address.
Task<void> ServeDnsConnection(std::shared_ptr<Flow> flow);
// The reply to one question; empty if it gets none.
Task<std::string> AnswerDns(std::shared_ptr<Box> box, std::string question, std::size_t bytes_max);

}  // namespace viv::network
