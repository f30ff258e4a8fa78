#pragma once
// Connects the budgets of accounts with what they limit: the store, the machine, blobs,
// repositories and requests.

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

// All arguments outlive what is created here.
Result<std::unique_ptr<accounts::Budgets>> OpenBudgets(const Settings& settings,
                                                       store::Store& store);

// For http::KeyLookup and MCP: returns after how many seconds the account may send its next
// request.
std::function<std::optional<int>(std::string_view account_id)> AdmitBy(accounts::Budgets& budgets);

boxes::UsageSources SourcesOf(const Settings& settings,
                              boxes::BoxManager& boxes,
                              storage::BoxStorage& storage);

// The blobs of a box are charged to its account.
blobs::MakeBlobCharge BlobChargesBy(accounts::Budgets& budgets, const boxes::Boxes& boxes);

}  // namespace viv::server
