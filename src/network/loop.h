#pragma once
// An event loop with its own thread. Every box belongs to one loop, so that its state needs no
// locks. The loops share only the limits that apply to all boxes together.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "network/dial_guard.h"
#include "network/flow_log.h"
#include "network/resolver.h"

namespace viv::network {

struct SharedLimits {
  DialGuard dial_guard;
  std::size_t flows_per_box_max = 0;
  std::size_t flows_max = 0;  // of all boxes, because each takes two descriptors
  std::atomic<std::size_t> flows{0};
  std::chrono::milliseconds first_bytes_timeout{0};
  FlowLog* flow_log = nullptr;

  // Whether a box with that many flows may open one more. Once half of all flows are in use, each
  // box gets only a small share, so that one box cannot shut out the others.
  bool MayOpen(std::size_t flows_of_box) const;
  // Whether the guard refuses it.
  bool IsClosedPrivate(const Endpoint& destination) const;
};

class Loop {
 public:
  Loop(SharedLimits& shared, Resolver::Options resolving);
  ~Loop();

  // Runs `act` on the loop's thread and returns when it is done.
  void PostAndWait(const std::function<void()>& act);
  void Post(std::function<void()> act);
  void Stop();  // ends the thread; waiting coroutines are destroyed with the loop

  asio::io_context& context() { return *context_; }

 private:
  std::unique_ptr<asio::io_context> context_;

 public:
  SharedLimits& limits;
  std::size_t buffered_bytes = 0;  // read from one side and not yet accepted by the other
  Resolver resolver;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace viv::network
