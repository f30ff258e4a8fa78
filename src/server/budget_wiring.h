#pragma once
// The budgets of accounts, tied to what they are about: the store, the machine, blobs, repositories
// and the requests that come in.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "accounts/budgets.h"
#include "base/result.h"
#include "blobs/blob_usage.h"
#include "boxes/box_manager.h"
#include "boxes/boxes.h"
#include "boxes/usage_monitor.h"
#include "server/settings.h"
#include "storage/box_storage.h"
#include "store/store.h"

namespace viv::server {

// All given outlives what is made here.
Result<std::unique_ptr<accounts::Budgets>> OpenBudgets(const Settings& settings,
                                                       store::Store& store);

// For http::KeyLookup and MCP: after how many seconds an account's next request may come.
std::function<std::optional<int>(std::string_view account_id)> AdmitBy(accounts::Budgets& budgets);

boxes::UsageSources SourcesOf(const Settings& settings,
                              boxes::BoxManager& boxes,
                              storage::BoxStorage& storage);

// A box's blobs count for the account of the box.
blobs::MakeBlobCharge BlobChargesBy(accounts::Budgets& budgets, const boxes::Boxes& boxes);

}  // namespace viv::server
