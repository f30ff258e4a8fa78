#pragma once
// Counts pending operations, so that the owner of what they use can wait until the last one has
// ended. Used from one thread only.

#include <chrono>
#include <cstddef>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "http/await_tuple.h"

namespace viv::http {

class OperationCounter {
 public:
  explicit OperationCounter(asio::any_io_executor executor)
      : ended_(std::move(executor), std::chrono::steady_clock::time_point::max()) {}

  class Entry {
   public:
    explicit Entry(OperationCounter& owner) : owner_(owner) { ++owner_.count_; }
    ~Entry() {
      if (--owner_.count_ == 0) owner_.ended_.cancel();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    OperationCounter& owner_;
  };

  bool idle() const { return count_ == 0; }

  Task<void> WaitUntilIdle() {
    while (count_ > 0) co_await ended_.async_wait(kTuple);
  }

 private:
  asio::steady_timer ended_;
  std::size_t count_ = 0;
};

}  // namespace viv::http
