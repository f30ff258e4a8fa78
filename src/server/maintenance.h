#pragma once
// Work that belongs to no request, on a thread of its own: expired leases are released, apps are
// loaded again when they change, boxes are looked after, runs are carried out, orphaned streams and
// old blobs are removed.

#include <memory>

#include "server/components.h"
#include "server/server_routes.h"

namespace viv::server {

class Maintenance {
 public:
  Maintenance(Components& components, ServerRoutes& routes);  // both outlive it
  ~Maintenance();                                             // ends the work

 private:
  class BackgroundThread;
  std::unique_ptr<BackgroundThread> thread_;
};

}  // namespace viv::server
