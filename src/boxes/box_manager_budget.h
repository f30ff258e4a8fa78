#pragma once
// The charge of a box to the budgets of its account. Internal to BoxManager.

#include "accounts/budgets.h"
#include "boxes/box_manager.h"

namespace viv::boxes {

accounts::Amounts AmountsToRun(const BoxSpec& spec);

// A box is charged as running before it runs; when this goes out of scope, the charge is updated to
// its actual state.
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
