#pragma once
// Limits how many git processes run at once, in total and per account, and locks repositories for
// operations that must not overlap. Internal to Repositories.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/async_mutex.h"
#include "base/result.h"
#include "git/repositories.h"

namespace viv::git {

class GitSlots {
 public:
  static constexpr std::size_t kTotalMax = 64;
  static constexpr std::size_t kPerAccountMax = 16;

  class [[nodiscard]] Slot {  // the destructor releases it
   public:
    Slot() = default;
    Slot(GitSlots* slots, std::string account_id)
        : slots_(slots), account_id_(std::move(account_id)) {}
    Slot(Slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), account_id_(std::move(other.account_id_)) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(slots_, other.slots_);
      std::swap(account_id_, other.account_id_);
      return *this;
    }
    ~Slot() {
      if (slots_ != nullptr) slots_->Release(account_id_);
    }

   private:
    GitSlots* slots_ = nullptr;
    std::string account_id_;
  };

  Result<Slot> Take(const std::string& account_id) {
    std::lock_guard lock(mutex_);
    std::size_t& own = taken_[account_id];
    if (total_ >= kTotalMax || own >= kPerAccountMax)
      return Fail(ErrorCode::kUnavailable, "too many git operations at once: try again later");
    ++total_;
    ++own;
    return Slot(this, account_id);
  }

 private:
  void Release(const std::string& account_id) {
    std::lock_guard lock(mutex_);
    --total_;
    auto own = taken_.find(account_id);
    if (--own->second == 0) taken_.erase(own);
  }

  std::mutex mutex_;  // guards all below
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> taken_;
};

// Reserves the bytes that pending pushes may still add to a repository, so that two pushes do not
// get the same bytes.
class PushReservations {
 public:
  class [[nodiscard]] Reservation {  // the destructor ends it
   public:
    Reservation() = default;
    Reservation(PushReservations* reservations, std::string account_id, std::int64_t bytes)
        : reservations_(reservations), account_id_(std::move(account_id)), bytes_(bytes) {}
    Reservation(Reservation&& other) noexcept { *this = std::move(other); }
    Reservation& operator=(Reservation&& other) noexcept {
      std::swap(reservations_, other.reservations_);
      std::swap(account_id_, other.account_id_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Reservation() {
      if (reservations_ != nullptr) reservations_->End(account_id_, bytes_);
    }
    std::int64_t bytes() const { return bytes_; }

   private:
    PushReservations* reservations_ = nullptr;
    std::string account_id_;
    std::int64_t bytes_ = 0;
  };

  // Reserves up to `most` of what is left of `room`; kUnavailable while others have reserved all of
  // it.
  Result<Reservation> Make(const std::string& account_id, std::int64_t room, std::int64_t most) {
    std::lock_guard lock(mutex_);
    std::int64_t& reserved = reserved_[account_id];
    const std::int64_t bytes = std::min(most, room - reserved);
    if (bytes <= 0)
      return Fail(ErrorCode::kUnavailable,
                  "another push may need what is left of the repository: try again later");
    reserved += bytes;
    return Reservation(this, account_id, bytes);
  }
  std::int64_t of(const std::string& account_id) const {
    std::lock_guard lock(mutex_);
    auto found = reserved_.find(account_id);
    return found == reserved_.end() ? 0 : found->second;
  }

 private:
  void End(const std::string& account_id, std::int64_t bytes) {
    std::lock_guard lock(mutex_);
    auto own = reserved_.find(account_id);
    if ((own->second -= bytes) == 0) reserved_.erase(own);
  }

  mutable std::mutex mutex_;  // guards the one below
  std::map<std::string, std::int64_t> reserved_;
};

struct Repositories::Concurrency {
  GitSlots slots;
  PushReservations reservations;

  AsyncMutex& LockOf(const std::string& account_id) {
    std::lock_guard lock(mutex);
    return locks[account_id];
  }

  std::mutex mutex;  // guards the one below, not what is in it
  std::map<std::string, AsyncMutex> locks;
};

}  // namespace viv::git
