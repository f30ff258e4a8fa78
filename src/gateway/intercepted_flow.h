#pragma once
// What the gateway needs of a flow: the guest's socket, connections to the destination, the box's
// rules and its log.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "network/address.h"
#include "network/flow_log.h"

namespace viv::network {
class Flow;
}

namespace viv::gateway {

class InterceptedFlow {
 public:
  virtual ~InterceptedFlow() = default;
  virtual asio::any_io_executor executor() = 0;
  virtual network::Endpoint destination() const = 0;
  virtual UniqueFd ReleaseGuestSocket() = 0;
  // A proxy gets the name `host` and may resolve it itself.
  virtual Task<Result<UniqueFd>> Dial(std::string host) = 0;
  virtual bool AllowsHost(std::string_view host) const = 0;
  virtual void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) = 0;
  virtual network::FlowRecord Describe() const = 0;
  virtual void Log(const network::FlowRecord& record) = 0;
  // Sets the callback for when the flow is aborted, because the box's rules change or the box ends;
  // nullptr removes it.
  virtual void OnAbort(std::function<void()> on_abort) = 0;
};

std::shared_ptr<InterceptedFlow> MakeInterceptedFlow(std::shared_ptr<network::Flow> flow);

}  // namespace viv::gateway
