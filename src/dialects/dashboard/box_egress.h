#pragma once
// What left a box, or was refused: its flow log (network/flow_log.h), as /api/viv shows it.

#include "http/message.h"
#include "sandbox/boxes.h"

namespace viv::dashboard {

// The newest ?limit=N records, oldest first, of the caller's box {id}: its id, UUID or name.
http::Response EgressRecords(const sandbox::Boxes& boxes, const http::Request& request);

}  // namespace viv::dashboard
