#pragma once
// Who reads and changes what a box sends, for the hosts that its rules name. The egress judges a
// connection first; what it hands over here is admitted, and its opening agrees with the name that
// the guest resolved. Lives on the box's loop, except where noted.

#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "network/first_bytes.h"

namespace viv::network {

class Flow;

class Interceptor {
 public:
  virtual ~Interceptor() = default;  // on any thread, once no connection uses it

  // Whether a rule or callback is for this host (lower case). Any thread.
  virtual bool InterceptsHost(std::string_view host) const = 0;
  // Serves the connection to its end: TLS for a host that is named, or HTTP in the clear for any
  // host, since there every further request tells its host anew. `already_read` is what was read of
  // the guest so far. The flow's remote side is not dialled.
  virtual Task<void> Serve(std::shared_ptr<Flow> flow,
                           FirstBytes first_bytes,
                           std::string already_read) = 0;
  // The box has `next` from now on; nullptr: none. What this one serves goes on, and follows what
  // the next one says with its next request.
  virtual void OnReplacedBy(Interceptor* next) = 0;
};

}  // namespace viv::network
