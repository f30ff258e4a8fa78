#include "base/shielded.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv {

Task<void> Shielded(Task<void> task) {
  auto executor = co_await asio::this_coro::executor;
  auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
  co_await asio::co_spawn(executor, std::move(task), token);
}

}  // namespace viv
