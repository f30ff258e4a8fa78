#pragma once
// Threads for work that blocks: SQLite on disk, file systems, mounts. The awaiting coroutine
// resumes on its own executor.

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace viv {

class BlockingPool {
 public:
  explicit BlockingPool(std::size_t threads) : threads_(threads) {}
  ~BlockingPool() { threads_.join(); }

  // Runs `work` on the pool. `work` must not throw. What it refers to must live until it has run,
  // also when the waiting coroutine is cancelled.
  template <typename Work>
  auto Run(Work work) -> Task<decltype(work())> {
    using Value = decltype(work());
    auto start = [this, &work](auto handler) {
      // Tracked: its context keeps running while we wait.
      auto executor = asio::prefer(asio::get_associated_executor(handler),
                                   asio::execution::outstanding_work.tracked);
      asio::post(threads_, [&work, handler = std::move(handler), executor]() mutable {
        auto value = std::make_shared<Value>(work());
        asio::post(executor, [handler = std::move(handler), value]() mutable {
          std::move(handler)(std::move(*value));
        });
      });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Value)>(
        start, asio::use_awaitable);
  }

 private:
  asio::thread_pool threads_;
};

}  // namespace viv
