#pragma once
// What left a box, or was refused: its flow log (network/flow_log.h), as /api/viv shows it.

#include "boxes/boxes.h"
#include "http/message.h"

namespace viv::dashboard {

// The newest ?limit=N records, oldest first, of the caller's box {id}: its id, UUID or name.
http::Response EgressRecords(const boxes::Boxes& boxes, const http::Request& request);

}  // namespace viv::dashboard
