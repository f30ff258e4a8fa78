#pragma once
// What a box counts for in the budgets of its account. Internal to BoxManager.

#include "accounts/budgets.h"
#include "boxes/box_manager.h"

namespace viv::boxes {

accounts::Amounts AmountsToRun(const BoxSpec& spec);

// Whatever a box was counted for when it was to run, at the end it is counted for what it is.
class BoxManager::ScopedChargeUpdate {
 public:
  ScopedChargeUpdate(const BoxManager& manager, BoxEntryPtr entry)
      : manager_(manager), entry_(std::move(entry)) {}
  ScopedChargeUpdate(const ScopedChargeUpdate&) = delete;
  ScopedChargeUpdate& operator=(const ScopedChargeUpdate&) = delete;
  ~ScopedChargeUpdate();

 private:
  const BoxManager& manager_;
  const BoxEntryPtr entry_;
};

}  // namespace viv::boxes
