#pragma once
// Reads and changes the requests of a box to the hosts that its rules have. The egress only passes
// flows that it has allowed and whose first bytes agree with the name that the guest resolved. Runs
// on the box's loop, except where noted.

#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "network/first_bytes.h"

namespace viv::network {

class Flow;

class Interceptor {
 public:
  virtual ~Interceptor() = default;  // on any thread, once no flow uses it

  // Whether a rule or callback is for this host, which is in lower case. Thread-safe.
  virtual bool InterceptsHost(std::string_view host) const = 0;
  // Serves the flow to its end: TLS for hosts of InterceptsHost, or plain HTTP for any host,
  // because each further request may name another host. `already_read` is what was read from the
  // guest so far. The flow's remote side is not dialled.
  virtual Task<void> Serve(std::shared_ptr<Flow> flow,
                           FirstBytes first_bytes,
                           std::string already_read) = 0;
  // The box uses `next` from now on, or no interceptor if it is nullptr. Flows that this one serves
  // continue; their next requests follow the rules of `next`.
  virtual void OnReplacedBy(Interceptor* next) = 0;
};

}  // namespace viv::network
