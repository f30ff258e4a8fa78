#include "network/loop.h"

#include <exception>
#include <future>

#include <boost/asio/post.hpp>

#include "base/event_loop.h"
#include "base/log.h"

namespace viv::network {
namespace {

constexpr std::size_t kFlowsPerBoxWhenScarce = 32;

}  // namespace

bool SharedLimits::MayOpen(std::size_t flows_of_box) const {
  std::size_t all = flows.load(std::memory_order_relaxed);
  if (flows_of_box >= flows_per_box_max || all >= flows_max) return false;
  return all < flows_max / 2 || flows_of_box < kFlowsPerBoxWhenScarce;
}

bool SharedLimits::IsClosedPrivate(const Endpoint& destination) const {
  return !dial_guard.Allows(destination);
}

Loop::Loop(SharedLimits& shared, Resolver::Options resolving)
    : context_(std::make_unique<asio::io_context>(1)),
      limits(shared),
      resolver(*context_, std::move(resolving)),
      work_(context_->get_executor()),
      thread_([this] {
        for (;;) {
          try {
            RunWithBusyPoll(*context_);
            return;
          } catch (const std::exception& error) {
            log::Error("network.task_failed", {{"error", error.what()}});
          }
        }
      }) {}

Loop::~Loop() {
  Stop();
  work_.reset();
  context_.reset();  // destroys the coroutines in it while what they refer to still exists
}

void Loop::PostAndWait(const std::function<void()>& act) {
  std::promise<void> done;
  asio::post(*context_, [&] {
    act();
    done.set_value();
  });
  done.get_future().wait();
}

void Loop::Post(std::function<void()> act) {
  asio::post(*context_, std::move(act));
}

void Loop::Stop() {
  context_->stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace viv::network
