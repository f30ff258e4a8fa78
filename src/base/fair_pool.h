#pragma once
// Threads for long work of many accounts. Each account has a queue of its own. The queues are
// served in turn, and one account never occupies all threads, so an account waits for another no
// longer than for one of its own jobs. A queue has a maximum length; further work is refused.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

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
    using Value = decltype(work());
    if (!Reserve(account)) {
      co_return Fail(ErrorCode::kUnavailable,
                     "Too many calls of this account are waiting; try again later.");
    }
    auto start = [this, &work, &account](auto handler) {
      // Tracked: its context keeps running while we wait.
      auto executor = asio::prefer(asio::get_associated_executor(handler),
                                   asio::execution::outstanding_work.tracked);
      auto run = [&work, handler = std::move(handler), executor]() mutable {
        auto value = std::make_shared<Value>(work());
        asio::post(executor, [handler = std::move(handler), value]() mutable {
          std::move(handler)(std::move(*value));
        });
      };
      Add(account, std::make_unique<JobOf<decltype(run)>>(std::move(run)));
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Value)>(
        start, asio::use_awaitable);
  }

 private:
  struct Job {
    virtual ~Job() = default;
    virtual void Run() = 0;
  };
  template <typename Body>
  struct JobOf : Job {
    explicit JobOf(Body given) : body(std::move(given)) {}
    void Run() override { body(); }
    Body body;
  };
  struct AccountQueue {
    std::deque<std::unique_ptr<Job>> waiting;
    std::size_t reserved = 0;  // accepted and not yet running
    std::size_t running = 0;
  };

  bool Reserve(const std::string& account);
  void Add(const std::string& account, std::unique_ptr<Job> job);
  void Serve();
  std::unique_ptr<Job> Next(std::string& account);  // mutex_ is held

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
