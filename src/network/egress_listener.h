#pragma once
// What waits behind a box's two doors. Both run on the box's loop until the box is closed.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/box.h"
#include "network/flow.h"

namespace viv::network {

// Accepts connections, finds where each was meant to go, judges it, dials and pipes.
Task<void> ServeTcpListener(std::shared_ptr<Box> box);
// Dials the flow's other side; false when that failed or the flow was cut meanwhile, which ends it.
Task<bool> ConnectFlow(std::shared_ptr<Flow> flow);
// Answers questions that come as datagrams.
Task<void> ServeDnsListener(std::shared_ptr<Box> box);
// Answers questions on a connection to port 53 of anywhere.
Task<void> ServeDnsConnection(std::shared_ptr<Flow> flow);
// The answer to one question: empty when it deserves none.
Task<std::string> AnswerDns(std::shared_ptr<Box> box, std::string question, std::size_t bytes_max);

}  // namespace viv::network
