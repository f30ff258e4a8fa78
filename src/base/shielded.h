#pragma once
// Runs a task to its end even if the coroutine that waits for it is cancelled. This is for work
// that must not stop half-way because a client hung up.

#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace viv {

template <typename T>
Task<T> Shielded(Task<T> task) {
  auto executor = co_await asio::this_coro::executor;
  auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
  co_return co_await asio::co_spawn(executor, std::move(task), token);
}

}  // namespace viv
