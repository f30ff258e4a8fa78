#pragma once
// Threads for long work of many accounts. Each account has a queue of its own. The queues are
// served in turn, and one account never occupies all threads, so an account waits for another no
// longer than for one of its own jobs. A queue has a maximum length; further work is refused.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/pool_job.h"
#include "base/result.h"
#include "base/task.h"

namespace viv {

class FairPool {
 public:
  struct Options {
    std::size_t threads = 4;  // an account gets one less than these
    std::size_t account_waiting_max = 256;
    std::size_t waiting_max = 4096;
  };

  explicit FairPool(Options options);
  ~FairPool();  // waits for what was accepted
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // Runs `work`, which returns a Result, on one of the threads; kUnavailable when too many jobs
  // wait. `work` must not throw. What it refers to must live until it has run, also when the
  // waiting coroutine is cancelled.
  template <typename Work>
  auto Run(std::string account, Work work) -> Task<decltype(work())> {
    if (!Reserve(account)) {
      co_return Fail(ErrorCode::kUnavailable,
                     "Too many calls of this account are waiting; try again later.");
    }
    std::optional<decltype(work())> value;
    const std::function<void()> run = [&work, &value] { value.emplace(work()); };
    const SubmitJob submit = [this, &account](std::unique_ptr<PoolJob> job) {
      Add(account, std::move(job));
    };
    co_await RunAsJob(run, submit);
    co_return std::move(*value);
  }

 private:
  struct AccountQueue {
    std::deque<std::unique_ptr<PoolJob>> waiting;
    std::size_t reserved = 0;  // accepted and not yet running
    std::size_t running = 0;
  };

  bool Reserve(const std::string& account);
  void Add(const std::string& account, std::unique_ptr<PoolJob> job);
  void Serve();
  std::unique_ptr<PoolJob> Next(std::string& account);  // mutex_ is held

  const Options options_;
  const std::size_t account_running_max_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::map<std::string, AccountQueue>
      queues_;  // guarded, as is all below; those with anything accepted
  std::deque<std::string> ready_accounts_;  // accounts with a job that waits; the next one first
  std::size_t reserved_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace viv
