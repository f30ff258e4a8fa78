#pragma once
// What a box counts for in the budgets of its account. Internal to BoxManager.

#include "accounts/budgets.h"
#include "boxes/box_manager.h"

namespace viv::boxes {

accounts::Amounts AmountsToRun(const BoxSpec& spec);

// Whatever a box was counted for when it was to run, at the end it is counted for what it is.
class BoxManager::SettleAtEnd {
 public:
  SettleAtEnd(const BoxManager& manager, BoxEntryPtr entry)
      : manager_(manager), entry_(std::move(entry)) {}
  SettleAtEnd(const SettleAtEnd&) = delete;
  SettleAtEnd& operator=(const SettleAtEnd&) = delete;
  ~SettleAtEnd();

 private:
  const BoxManager& manager_;
  const BoxEntryPtr entry_;
};

}  // namespace viv::boxes
