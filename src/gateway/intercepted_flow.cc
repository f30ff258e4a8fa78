#include "gateway/intercepted_flow.h"

#include <utility>

#include "network/flow.h"

namespace viv::gateway {
namespace {

class FlowAdapter final : public InterceptedFlow {
 public:
  explicit FlowAdapter(std::shared_ptr<network::Flow> flow) : flow_(std::move(flow)) {}

  asio::any_io_executor executor() override { return flow_->box->loop.context().get_executor(); }
  network::Endpoint destination() const override { return flow_->destination; }
  UniqueFd ReleaseGuestSocket() override { return flow_->ReleaseGuestSocket(); }
  Task<Result<UniqueFd>> Dial(std::string host) override { return flow_->Dial(std::move(host)); }
  bool AllowsHost(std::string_view host) const override { return flow_->AllowsHost(host); }
  void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in) override {
    flow_->CountBytes(bytes_out, bytes_in);
  }
  network::FlowRecord Describe() const override { return flow_->Describe(); }
  void Log(const network::FlowRecord& record) override { flow_->Log(record); }
  void OnAbort(std::function<void()> on_abort) override { flow_->on_abort = std::move(on_abort); }

 private:
  const std::shared_ptr<network::Flow> flow_;
};

}  // namespace

std::shared_ptr<InterceptedFlow> MakeInterceptedFlow(std::shared_ptr<network::Flow> flow) {
  return std::make_shared<FlowAdapter>(std::move(flow));
}

}  // namespace viv::gateway
