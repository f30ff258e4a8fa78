#include "network/flow.h"

namespace viv::network {

Flow::Flow(std::shared_ptr<Box> of_box, UniqueFd accepted)
    : box(std::move(of_box)),
      guest(AdoptStream(box->loop.context(), std::move(accepted))),
      remote(box->loop.context()) {
  box->flows.insert(this);
  box->loop.limits.flows.fetch_add(1, std::memory_order_relaxed);
}

Flow::~Flow() {
  box->flows.erase(this);
  box->loop.limits.flows.fetch_sub(1, std::memory_order_relaxed);
}

bool Flow::StillAdmitted() const {
  bool judged = destination.port != 0;  // else its turn is to come
  return is_dns || !judged || box->Admits(destination, names);
}

void Flow::Cut() {
  CloseWithReset(guest);
  CloseWithReset(remote);
}

}  // namespace viv::network
