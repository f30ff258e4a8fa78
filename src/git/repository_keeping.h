#pragma once
// Who may run git now: a limit on how many run at once, in all and for one account, and turns for
// what must not happen twice at the same time to one repository. Internal to Repositories.

#include <cstddef>
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

struct Repositories::Keeping {
  GitSlots slots;

  AsyncMutex& TurnOf(const std::string& account_id) {
    std::lock_guard lock(mutex);
    return turns[account_id];
  }

  std::mutex mutex;  // guards the one below, not what is in it
  std::map<std::string, AsyncMutex> turns;
};

}  // namespace viv::git
