#pragma once
// Threads for work that blocks: SQLite on disk, file systems, mounts. The awaiting coroutine
// resumes on its own executor.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/pool_job.h"
#include "base/task.h"

namespace boost::asio {
class thread_pool;
}  // namespace boost::asio

namespace viv {

class BlockingPool {
 public:
  explicit BlockingPool(std::size_t threads);
  ~BlockingPool();  // waits for what was submitted

  // Runs `work` on the pool. `work` must not throw. What it refers to must live until it has run,
  // also when the waiting coroutine is cancelled.
  template <typename Work>
  auto Run(Work work) -> Task<decltype(work())> {
    std::optional<decltype(work())> value;
    const std::function<void()> run = [&work, &value] { value.emplace(work()); };
    co_await RunAsJob(run, submit_);
    co_return std::move(*value);
  }

 private:
  const std::unique_ptr<asio::thread_pool> threads_;
  const SubmitJob submit_;
};

}  // namespace viv
