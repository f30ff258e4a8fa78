#pragma once
// A mutex for coroutines. A coroutine that waits does not block its thread; waiters get the mutex
// in the order in which they asked, each on its own executor. Unlike a std::mutex it may be held
// across an await.

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace viv {

class AsyncMutex {
 public:
  class [[nodiscard]] Lock {
   public:
    Lock() = default;
    explicit Lock(AsyncMutex* mutex) : mutex_(mutex) {}
    Lock(Lock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Lock& operator=(Lock&& other) noexcept {
      std::swap(mutex_, other.mutex_);
      return *this;
    }
    ~Lock() {
      if (mutex_ != nullptr) mutex_->Release();
    }

   private:
    AsyncMutex* mutex_ = nullptr;
  };

  // The mutex outlives the lock.
  Task<Lock> Acquire() {
    auto start = [this](auto handler) {
      // Tracked: its context keeps running while we wait.
      auto executor = asio::prefer(asio::get_associated_executor(handler),
                                   asio::execution::outstanding_work.tracked);
      auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      std::function<void()> resume = [executor, shared] {
        asio::post(executor, [shared] { std::move (*shared)(); });
      };
      std::unique_lock lock(mutex_);
      if (held_) {
        waiting_.push_back(std::move(resume));
        return;
      }
      held_ = true;
      lock.unlock();
      resume();
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(start,
                                                                         asio::use_awaitable);
    co_return Lock(this);
  }

  // Does not wait: false when the mutex is held.
  bool TryAcquire(Lock& lock) {
    std::lock_guard guard(mutex_);
    if (held_) return false;
    held_ = true;
    lock = Lock(this);
    return true;
  }

 private:
  void Release() {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) {
      held_ = false;
      return;
    }
    std::function<void()> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next();  // the mutex stays held, now by the next waiter
  }

  std::mutex mutex_;  // guards the two below
  bool held_ = false;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace viv
