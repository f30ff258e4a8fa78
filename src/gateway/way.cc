#include "gateway/way.h"

#include <utility>

#include "network/flow.h"

namespace viv::gateway {
namespace {

class FlowWay final : public Way {
 public:
  explicit FlowWay(std::shared_ptr<network::Flow> flow) : flow_(std::move(flow)) {}

  asio::any_io_executor executor() override { return flow_->box->loop.context().get_executor(); }
  network::Endpoint destination() const override { return flow_->destination; }
  UniqueFd TakeGuest() override { return flow_->TakeGuest(); }
  Task<Result<UniqueFd>> Dial(std::string host) override { return flow_->Dial(std::move(host)); }
  bool Admits(std::string_view host) const override { return flow_->Admits(host); }
  void Count(std::uint64_t bytes_out, std::uint64_t bytes_in) override {
    flow_->Count(bytes_out, bytes_in);
  }
  network::FlowRecord Describe() const override { return flow_->Describe(); }
  void Log(const network::FlowRecord& record) override { flow_->Log(record); }
  void OnCut(std::function<void()> cut) override { flow_->on_cut = std::move(cut); }

 private:
  const std::shared_ptr<network::Flow> flow_;
};

}  // namespace

std::shared_ptr<Way> WayOf(std::shared_ptr<network::Flow> flow) {
  return std::make_shared<FlowWay>(std::move(flow));
}

}  // namespace viv::gateway
