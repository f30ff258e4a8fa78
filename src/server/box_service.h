#pragma once
// All components of boxes, built in order and destroyed in reverse: storage, templates, cgroups,
// network, launcher, and the manager that the dialects use.

#include <memory>
#include <string>

#include "accounts/accounts.h"
#include "base/blocking_pool.h"
#include "base/result.h"
#include "boxes/box_manager.h"
#include "boxes/image_imports.h"
#include "boxes/kernel_box_host.h"
#include "local/workspace_layers.h"
#include "network/egress.h"
#include "network/namespaces.h"
#include "runtime/cgroups.h"
#include "runtime/launcher.h"
#include "server/egress_service.h"
#include "server/settings.h"
#include "storage/box_storage.h"
#include "store/store.h"
#include "templates/templates.h"

namespace viv::server {

class BoxService {
 public:
  // kUnavailable, with what to do, on a machine that cannot run boxes. All arguments outlive it.
  static Result<std::unique_ptr<BoxService>> Start(const Settings& settings,
                                                   store::Store& store,
                                                   BlockingPool& pool,
                                                   const accounts::Accounts& accounts,
                                                   accounts::Budgets& budgets,
                                                   const std::string& secret);
  ~BoxService();  // boxes keep running or are ended, as the settings say

  // Prepares the layers of local sandboxes. Without viv-tools there are no local sandboxes, and
  // everything else works; fails on invalid workspace data.
  Status OpenWorkspaces(const Settings& settings);

  boxes::BoxManager& boxes() { return *boxes_; }
  templates::Templates& templates() { return *templates_; }
  boxes::ImageImports& images() { return *images_; }
  // nullptr without viv-tools.
  const local::WorkspaceLayers* workspaces() const { return workspaces_.get(); }
  EgressService& egress() { return *egress_service_; }
  std::string storage_kind() const { return storage_->kind(); }
  std::vector<std::string> Problems() const { return boxes_->Problems(); }

 private:
  explicit BoxService(bool keeps_boxes) : keeps_boxes_(keeps_boxes) {}
  Status Build(const Settings& settings,
               store::Store& store,
               BlockingPool& pool,
               const accounts::Accounts& accounts,
               accounts::Budgets& budgets,
               const std::string& secret);

  const bool keeps_boxes_;
  std::unique_ptr<EgressService> egress_service_;  // first: what is below uses it to its end
  std::unique_ptr<storage::BoxStorage> storage_;
  std::unique_ptr<templates::Templates> templates_;
  std::unique_ptr<runtime::Cgroups> cgroups_;
  std::unique_ptr<network::Namespaces> networks_;
  std::unique_ptr<network::Egress> egress_;
  std::unique_ptr<runtime::Launcher> launcher_;
  std::unique_ptr<boxes::KernelBoxHost> host_;
  std::unique_ptr<boxes::BoxManager> boxes_;
  std::unique_ptr<boxes::UsageMonitor> usage_monitor_;
  std::unique_ptr<boxes::ImageImports> images_;
  std::unique_ptr<local::WorkspaceLayers> workspaces_;
};

// Where viv-agent and viv-tools are: beside this program.
std::string FindAgent();
std::string FindTools();

}  // namespace viv::server
