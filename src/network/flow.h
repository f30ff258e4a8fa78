#pragma once
// One connection out of a box: the guest's side, accepted at the TCP door, and the other side once
// it is dialled. It is in its box's set while it lives, and is kept alive by its coroutines only.

#include <memory>
#include <string>
#include <vector>

#include "network/box.h"

namespace viv::network {

class Flow {
 public:
  Flow(std::shared_ptr<Box> of_box, UniqueFd accepted);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  bool StillAdmitted() const;  // DNS is answered here, so its connections always are
  void Cut();                  // resets both sides; waits on them end

  const std::shared_ptr<Box> box;
  Stream guest, remote;
  Endpoint destination;
  std::vector<std::string> names;  // that gave the guest this address
  bool is_dns = false;
};

// Carries bytes both ways until both sides have ended. A side that ends its sending is passed on as
// such; a reset resets the other side.
void StartPipe(std::shared_ptr<Flow> flow);

}  // namespace viv::network
