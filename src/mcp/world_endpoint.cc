#include "mcp/world_endpoint.h"

namespace viv::mcp {

Task<Reply> WorldEndpoint::Handle(ReceivedMessage request, Caller caller) {
  co_return co_await protocol_.Handle(sandbox_, std::move(request.message), caller.version);
}

Task<void> WorldEndpoint::Notify(ReceivedMessage notification, Caller) {
  protocol_.Notify(*sandbox_, notification.message);
  co_return;
}

}  // namespace viv::mcp
