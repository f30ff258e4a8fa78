#pragma once
// The egress log of a box (network/flow_log.h): its allowed and refused connections, as /api/viv
// shows them.

#include "boxes/boxes.h"
#include "http/message.h"

namespace viv::dashboard {

// The newest ?limit=N records, oldest first, of the caller's box {id}: its id, UUID or name.
http::Response EgressRecords(const boxes::Boxes& boxes, const http::Request& request);

}  // namespace viv::dashboard
