#pragma once
// Lets one coroutine wait until it is notified. Notifications are not stored: the waiter checks its
// condition first. Used on one thread, by one waiter.

#include <chrono>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"
#include "http/await_tuple.h"

namespace viv::gateway {

class Http2Signal {
 public:
  enum class WakeReason { kNotified, kTimeout, kCancelled };

  explicit Http2Signal(asio::any_io_executor executor) : timer_(std::move(executor)) {}

  void Notify() { timer_.cancel(); }

  Task<WakeReason> Wait(std::chrono::milliseconds timeout) {
    timer_.expires_after(timeout);
    auto [error] = co_await timer_.async_wait(http::kTuple);
    asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return WakeReason::kCancelled;
    co_return error ? WakeReason::kNotified : WakeReason::kTimeout;
  }

 private:
  asio::steady_timer timer_;
};

}  // namespace viv::gateway
