#pragma once
// An event loop with a thread of its own. Every box belongs to one loop, so that its state needs no
// locks; the loops share only the limits that hold for all boxes together.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "network/flow_log.h"
#include "network/policy.h"
#include "network/resolver.h"

namespace viv::network {

struct SharedLimits {
  Rules open_private;  // allows what the operator opened although it is private
  std::size_t flows_per_box_max = 0;
  std::size_t flows_max = 0;  // of all boxes, for each takes two descriptors
  std::atomic<std::size_t> flows{0};
  std::chrono::milliseconds first_bytes_timeout{0};
  FlowLog* flow_log = nullptr;

  // Whether a box with that many connections may have one more. When half of all are in use, a box
  // gets only a small share: one greedy box does not shut out the others.
  bool MayOpen(std::size_t flows_of_box) const;
  // Private addresses and this machine's own: they need the operator's word, and this has it not.
  bool IsClosedPrivate(const Endpoint& destination) const;
};

class Loop {
 public:
  Loop(SharedLimits& shared, Resolver::Options resolving);
  ~Loop();

  void PostAndWait(
      const std::function<void()>& act);  // on the loop's thread; returns when it is done
  void Post(std::function<void()> act);
  void Stop();  // ends the thread; what still waits is dropped with the loop

  asio::io_context& context() { return *context_; }

 private:
  std::unique_ptr<asio::io_context> context_;

 public:
  SharedLimits& limits;
  std::size_t buffered_bytes = 0;  // read from one side and not yet taken by the other
  Resolver resolver;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace viv::network
