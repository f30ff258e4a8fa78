// Charges boxes to the budgets of their accounts. A box is charged before it runs, in one step with
// the check of the limits; its entry returns the charge when the box ends, for whatever reason.

#include "boxes/box_manager_budget.h"

#include <cmath>
#include <set>
#include <utility>

namespace viv::boxes {

accounts::Amounts AmountsToRun(const BoxSpec& spec) {
  accounts::Amounts amounts;
  amounts[accounts::Budget::kBoxes] = 1;
  amounts[accounts::Budget::kRunning] = 1;
  amounts[accounts::Budget::kCpus] = std::llround(spec.limits.cpus * 1000);
  amounts[accounts::Budget::kMemoryBytes] = spec.limits.memory_bytes;
  return amounts;
}

Status BoxManager::ChargeToRun(BoxEntry& entry, const Box& box) const {
  if (options_.budgets == nullptr) return {};
  for (accounts::Budget measured :
       {accounts::Budget::kDiskBytes, accounts::Budget::kMemoryUsedBytes})
    RETURN_IF_ERROR(options_.budgets->CheckBelowLimit(box.account_id, measured));
  return entry.charge.Set(AmountsToRun(box.spec));
}

void BoxManager::UpdateCharge(BoxEntry& entry, BoxState state) {
  accounts::Amounts amounts = entry.charge.amounts();
  switch (state) {
    case BoxState::kStarting:
    case BoxState::kRunning:
      return;
    case BoxState::kStopped:
    case BoxState::kFailed:
      amounts[accounts::Budget::kMemoryBytes] = 0;
      [[fallthrough]];
    case BoxState::kPaused:  // its memory stays allocated
      amounts[accounts::Budget::kRunning] = 0;
      amounts[accounts::Budget::kCpus] = 0;
  }
  entry.charge.SetUnchecked(amounts);
}

BoxManager::ScopedChargeUpdate::~ScopedChargeUpdate() {
  const BoxPtr box = manager_.index_.Find(entry_->id).box;
  if (box != nullptr) UpdateCharge(*entry_, box->state);
}

std::vector<MonitoredBox> BoxManager::ListMonitored() const {
  std::vector<MonitoredBox> boxes;
  index_.ForEach([&boxes](const BoxIndex::Found& found) {
    MonitoredBox box;
    box.disk.account_id = found.box->account_id;
    box.disk.folder = found.handle->folder;
    box.disk.layers = LayersIn(found.handle->overlays);
    box.disk_allowed = found.box->spec.disk_bytes;
    box.can_write = found.box->state == BoxState::kRunning;
    const bool has_memory = box.can_write || found.box->state == BoxState::kPaused;
    if (auto last = found.entry->meter.last(); last && has_memory)
      box.memory_used = last->memory_used_bytes;
    boxes.push_back(std::move(box));
  });
  return boxes;
}

}  // namespace viv::boxes
