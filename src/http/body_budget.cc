#include "http/body_budget.h"

#include "base/check.h"

namespace viv::http {
namespace {

constexpr std::size_t kWaitersMax = 256;

}  // namespace

void BodyBudget::Charge::Release() {
  if (budget_ != nullptr && bytes_ > 0) budget_->Uncharge(owner_, bytes_);
  budget_ = nullptr;
  bytes_ = 0;
}

bool BodyBudget::Raise(Charge& charge, const std::string& owner, std::size_t bytes) {
  CHECK(charge.bytes_ == 0 || (charge.budget_ == this && charge.owner_ == owner));
  if (bytes <= charge.bytes_) return true;
  const std::size_t more = bytes - charge.bytes_;
  std::lock_guard lock(mutex_);
  auto found = used_by_.find(owner);
  const std::size_t own = found == used_by_.end() ? 0 : found->second;
  if (more > bytes_max_ - used_ || own + more > owner_bytes_max()) return false;
  used_ += more;
  used_by_[owner] = own + more;
  charge.budget_ = this;
  charge.owner_ = owner;
  charge.bytes_ = bytes;
  return true;
}

void BodyBudget::Uncharge(const std::string& owner, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  auto found = used_by_.find(owner);
  CHECK(found != used_by_.end() && found->second >= bytes && used_ >= bytes);
  used_ -= bytes;
  found->second -= bytes;
  if (found->second == 0) used_by_.erase(found);
}

std::size_t BodyBudget::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

BodyBudget::Waiter::Waiter(BodyBudget& budget) : budget_(budget) {
  std::lock_guard lock(budget_.mutex_);
  may_wait_ = budget_.waiters_ < kWaitersMax;
  if (may_wait_) ++budget_.waiters_;
}

BodyBudget::Waiter::~Waiter() {
  if (!may_wait_) return;
  std::lock_guard lock(budget_.mutex_);
  --budget_.waiters_;
}

}  // namespace viv::http
