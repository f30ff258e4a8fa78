#pragma once
// Who may run git now: a limit on how many run at once, in all and for one account, and turns for
// what must not happen twice at the same time to one repository. Internal to Repositories.

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
  static constexpr std::size_t kInAll = 64;
  static constexpr std::size_t kPerAccount = 16;

  class [[nodiscard]] Slot {  // given back when it goes away
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
      if (slots_ != nullptr) slots_->GiveBack(account_id_);
    }

   private:
    GitSlots* slots_ = nullptr;
    std::string account_id_;
  };

  Result<Slot> Take(const std::string& account_id) {
    std::lock_guard lock(mutex_);
    std::size_t& own = taken_[account_id];
    if (in_all_ >= kInAll || own >= kPerAccount)
      return Fail(ErrorCode::kUnavailable, "too many git operations at once: try again later");
    ++in_all_;
    ++own;
    return Slot(this, account_id);
  }

 private:
  void GiveBack(const std::string& account_id) {
    std::lock_guard lock(mutex_);
    --in_all_;
    auto own = taken_.find(account_id);
    if (--own->second == 0) taken_.erase(own);
  }

  std::mutex mutex_;  // guards all below
  std::size_t in_all_ = 0;
  std::map<std::string, std::size_t> taken_;
};

// The bytes that pushes under way may still add to a repository: two at once do not get the same
// room.
class PushPromises {
 public:
  class [[nodiscard]] Promise {  // over when it goes away
   public:
    Promise() = default;
    Promise(PushPromises* promises, std::string account_id, std::int64_t bytes)
        : promises_(promises), account_id_(std::move(account_id)), bytes_(bytes) {}
    Promise(Promise&& other) noexcept { *this = std::move(other); }
    Promise& operator=(Promise&& other) noexcept {
      std::swap(promises_, other.promises_);
      std::swap(account_id_, other.account_id_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Promise() {
      if (promises_ != nullptr) promises_->End(account_id_, bytes_);
    }
    std::int64_t bytes() const { return bytes_; }

   private:
    PushPromises* promises_ = nullptr;
    std::string account_id_;
    std::int64_t bytes_ = 0;
  };

  // Up to `most` of what is left of `room`; kUnavailable while others have all of it.
  Result<Promise> Make(const std::string& account_id, std::int64_t room, std::int64_t most) {
    std::lock_guard lock(mutex_);
    std::int64_t& promised = promised_[account_id];
    const std::int64_t bytes = std::min(most, room - promised);
    if (bytes <= 0)
      return Fail(ErrorCode::kUnavailable,
                  "another push may need what is left of the repository: try again later");
    promised += bytes;
    return Promise(this, account_id, bytes);
  }
  std::int64_t of(const std::string& account_id) const {
    std::lock_guard lock(mutex_);
    auto found = promised_.find(account_id);
    return found == promised_.end() ? 0 : found->second;
  }

 private:
  void End(const std::string& account_id, std::int64_t bytes) {
    std::lock_guard lock(mutex_);
    auto own = promised_.find(account_id);
    if ((own->second -= bytes) == 0) promised_.erase(own);
  }

  mutable std::mutex mutex_;  // guards the one below
  std::map<std::string, std::int64_t> promised_;
};

struct Repositories::Keeping {
  GitSlots slots;
  PushPromises promises;

  AsyncMutex& TurnOf(const std::string& account_id) {
    std::lock_guard lock(mutex);
    return turns[account_id];
  }

  std::mutex mutex;  // guards the one below, not what is in it
  std::map<std::string, AsyncMutex> turns;
};

}  // namespace viv::git
