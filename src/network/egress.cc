#include "network/egress.h"

#include <sys/resource.h>

#include <array>
#include <mutex>
#include <unordered_map>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "network/box.h"
#include "network/dial.h"
#include "network/egress_listener.h"
#include "network/loop.h"
#include "network/namespaces.h"

namespace viv::network {
namespace {

constexpr std::size_t kLoops = 2;

// Each flow takes two descriptors; half of the process's limit is left to everything else.
std::size_t FlowsMaxOfProcess() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return 16'384;
  return std::min<std::size_t>(files.rlim_cur / 4, 1'000'000);
}

class EgressServer final : public Egress {
 public:
  EgressServer(DialGuard dial_guard,
               const EgressOptions& options,
               const Resolver::Options& resolving) {
    shared_.dial_guard = std::move(dial_guard);
    shared_.flows_per_box_max = options.connections_per_box_max;
    shared_.flows_max = options.connections_max > 0 ? options.connections_max : FlowsMaxOfProcess();
    shared_.first_bytes_timeout = options.first_bytes_timeout;
    shared_.flow_log = options.flow_log;
    for (auto& loop : loops_) loop = std::make_unique<Loop>(shared_, resolving);
  }

  ~EgressServer() override {
    std::unordered_map<std::string, std::shared_ptr<Box>> boxes;
    {
      std::lock_guard lock(mutex_);
      boxes.swap(boxes_);
    }
    for (auto& loop : loops_)
      loop->PostAndWait([&] {
        for (auto& [id, box] : boxes)
          if (&box->loop == loop.get()) box->Close();
      });
    for (auto& loop : loops_) loop->Stop();
    boxes.clear();  // before the loops to which their sockets belong
  }

  Status Open(const std::string& id, int netns, BoxEgress egress) override {
    ASSIGN_OR_RETURN(Rules rules, Rules::Compile(egress.policy));
    ASSIGN_OR_RETURN(EgressListeners listeners, OpenEgressListeners(netns));
    Loop& loop = *loops_[std::hash<std::string>()(id) % loops_.size()];
    auto box =
        std::make_shared<Box>(loop, std::move(listeners), std::move(rules), std::move(egress));
    if (!box->tcp_listener.is_open() || !box->dns_listener.is_open())
      return Fail(ErrorCode::kUnavailable, "the event loop takes no more sockets; try again later");
    {
      std::lock_guard lock(mutex_);
      if (!boxes_.emplace(id, box).second)
        return Fail(ErrorCode::kConflict, "the network of box " + id + " is already open");
    }
    loop.Post([box = std::move(box)] {
      asio::co_spawn(box->loop.context(), ServeTcpListener(box), asio::detached);
      asio::co_spawn(box->loop.context(), ServeDnsListener(box), asio::detached);
    });
    return {};
  }

  Status Set(const std::string& id, BoxEgress egress) override {
    ASSIGN_OR_RETURN(Rules rules, Rules::Compile(egress.policy));
    auto box = Find(id);
    if (!box) return Fail(ErrorCode::kNotFound, "the network of box " + id + " is not open");
    box->loop.PostAndWait([&] { box->Set(std::move(rules), std::move(egress)); });
    return {};
  }

  void Close(const std::string& id) override {
    std::shared_ptr<Box> box;
    {
      std::lock_guard lock(mutex_);
      auto found = boxes_.find(id);
      if (found == boxes_.end()) return;
      box = std::move(found->second);
      boxes_.erase(found);
    }
    // The last reference is dropped on the loop, to which the box's sockets belong.
    Loop& loop = box->loop;
    loop.PostAndWait([&] {
      box->Close();
      box.reset();
    });
  }

  // Runs on one of our loops, whose resolver it needs. It continues there if its caller goes away.
  Task<Status> CheckProxy(SocksProxy proxy) override {
    Loop& loop = *loops_[std::hash<std::string>()(proxy.host) % loops_.size()];
    auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
    co_return co_await asio::co_spawn(loop.context(), CheckProxyAddresses(loop, std::move(proxy)),
                                      token);
  }

  Traffic Read(const std::string& id) const override {
    auto box = Find(id);
    if (!box) return {};
    const BoxCounters& counters = box->counters;
    Traffic traffic{counters.bytes_in, counters.bytes_out, counters.connections, counters.refused};
    // As in Close: if the box is closed meanwhile, it must not be destroyed on this thread.
    box->loop.Post([held = std::move(box)] {});
    return traffic;
  }

 private:
  std::shared_ptr<Box> Find(const std::string& id) const {
    std::lock_guard lock(mutex_);
    auto found = boxes_.find(id);
    return found == boxes_.end() ? nullptr : found->second;
  }

  SharedLimits shared_;
  std::array<std::unique_ptr<Loop>, kLoops> loops_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Box>> boxes_;
};

}  // namespace

Result<std::unique_ptr<Egress>> Egress::Start(EgressOptions options) {
  ASSIGN_OR_RETURN(DialGuard dial_guard, DialGuard::Compile(options.open_private),
                   "open private addresses");
  Resolver::Options resolving;
  for (const std::string& text : options.resolvers) {
    ASSIGN_OR_RETURN(Endpoint server, ParseResolver(text));
    resolving.servers.push_back(server);
  }
  if (resolving.servers.empty() && ReadResolvConf(resolving.resolv_conf).empty())
    log::Warn("network.no_resolver", {{"file", resolving.resolv_conf}});
  return std::make_unique<EgressServer>(std::move(dial_guard), options, resolving);
}

}  // namespace viv::network
