#include "server/box_service.h"

#include <unistd.h>

#include <filesystem>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/ids.h"
#include "base/log.h"
#include "runtime/machine.h"
#include "server/budget_wiring.h"

namespace viv::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNetworksReady = 32;

// Distinguishes the kernel objects of this data folder from those of another server.
std::string TagOf(const std::string& data) {
  std::error_code error;
  fs::path real = fs::canonical(data, error);
  return Sha256Hex(error ? data : real.string()).substr(0, 10);
}

// Ends the boxes of an earlier server whose file system is damaged; their records will say that
// they have stopped.
void EndAll(runtime::Cgroups& groups) {
  std::vector<std::unique_ptr<runtime::Cgroup>> all;
  for (const std::string& name : groups.List()) {
    auto found = groups.Find(name);
    if (!found) continue;
    std::ignore = (*found)->Kill();
    all.push_back(*std::move(found));
  }
  for (auto& group : all) {
    if (Status removed = groups.Remove(std::move(group)); !removed)
      log::Error("box.not_ended", {{"error", removed.error().message}});
  }
}

std::string FindProgram(const std::string& name) {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? name : (self.parent_path() / name).string();
}

}  // namespace

std::string FindAgent() {
  return FindProgram("viv-agent");
}

std::string FindTools() {
  return FindProgram("viv-tools");
}

Result<std::unique_ptr<BoxService>> BoxService::Start(const Settings& settings,
                                                      store::Store& store,
                                                      BlockingPool& pool,
                                                      const accounts::Accounts& accounts,
                                                      accounts::Budgets& budgets,
                                                      const std::string& secret) {
  if (::geteuid() != 0) {
    return Fail(
        ErrorCode::kUnavailable,
        "boxes need root: run `sudo viv serve`, or `viv serve --boxes off` for worlds only");
  }
  std::unique_ptr<BoxService> service(new BoxService(settings.on_exit == "keep"));
  RETURN_IF_ERROR(service->Build(settings, store, pool, accounts, budgets, secret));
  return service;
}

Status BoxService::Build(const Settings& settings,
                         store::Store& store,
                         BlockingPool& pool,
                         const accounts::Accounts& accounts,
                         accounts::Budgets& budgets,
                         const std::string& secret) {
  const std::string folder = settings.data + "/boxes";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Fail(ErrorCode::kUnavailable, "make " + folder + ": " + error.message());

  runtime::LauncherOptions launcher;
  launcher.agent = settings.agent.empty() ? FindAgent() : settings.agent;
  // First: the spawner is forked from this process while it is small.
  ASSIGN_OR_RETURN(launcher_, runtime::Launcher::Start(launcher), "launcher");

  if (Status lifted = runtime::RaiseFileMax(); !lifted) {
    log::Warn("boxes.file_table_limited",
              {{"error", lifted.error().message},
               {"advice", "sysctl fs.file-max=9223372036854775807, or one box can use it up"}});
  }
  ASSIGN_OR_RETURN(egress_service_, EgressService::Open(settings, store, secret), "gateway");
  storage::StorageOptions storage;
  storage.directory = folder;
  storage.accept_no_limit = settings.accept_no_disk_limit;
  ASSIGN_OR_RETURN(cgroups_, runtime::Cgroups::Open(TagOf(settings.data)), "cgroups");
  storage.kill_users = [this] { EndAll(*cgroups_); };
  ASSIGN_OR_RETURN(storage_, storage::BoxStorage::Open(storage), "box storage");
  ASSIGN_OR_RETURN(templates_, templates::Templates::Open(settings.data + "/templates"),
                   "templates");
  RETURN_IF_ERROR(templates_->TrustAuthority(egress_service_->gateway().authority_pem()),
                  "templates");
  ASSIGN_OR_RETURN(networks_, network::Namespaces::Open(folder + "/net"), "networks");
  network::EgressOptions egress;
  egress.resolvers = settings.resolvers;
  egress.open_private = settings.open_private;
  egress.flow_log = &egress_service_->flow_log();
  ASSIGN_OR_RETURN(egress_, network::Egress::Start(egress), "egress");
  boxes::BoxParts parts{*launcher_, *cgroups_, *networks_, *egress_, *storage_};
  ASSIGN_OR_RETURN(host_, boxes::KernelBoxHost::Open(parts, folder + "/run"));

  boxes::BoxManagerOptions options;
  options.boxes_max = settings.boxes_max;
  options.parked = settings.parked;
  options.secret = secret;
  options.gateway = &egress_service_->gateway();
  options.secrets = &egress_service_->secrets();
  options.flow_log = &egress_service_->flow_log();
  options.budgets = &budgets;
  options.uuid_of_account = [&accounts](std::string_view id) { return accounts.UuidOf(id); };
  ASSIGN_OR_RETURN(boxes_,
                   boxes::BoxManager::Open(store, *host_, *templates_, pool, std::move(options)));
  boxes::ImageImportParts imports{*templates_, boxes_->templates(), *networks_, *egress_, &budgets};
  ASSIGN_OR_RETURN(images_, boxes::OpenImageImports(imports, settings.data + "/imports"));
  templates_->Clean([this](const std::string& layer) { return boxes_->UsesFolder(layer); });
  host_->StockNetworks(kNetworksReady);
  usage_monitor_ =
      std::make_unique<boxes::UsageMonitor>(budgets, SourcesOf(settings, *boxes_, *storage_));
  usage_monitor_->Start();
  return {};
}

Status BoxService::OpenWorkspaces(const Settings& settings) {
  local::WorkspaceLayers::Options options;
  options.viv_tools = settings.tools.empty() ? FindTools() : settings.tools;
  options.builtin_profiles = settings.builtin_profiles;
  options.operator_data = settings.local_data;
  if (settings.tools.empty() && ::access(options.viv_tools.c_str(), R_OK) != 0) {
    log::Warn("local_sandboxes.off", {{"missing", options.viv_tools}});
    return {};
  }
  ASSIGN_OR_RETURN(workspaces_, local::WorkspaceLayers::Open(settings.data + "/local", options));
  workspaces_->Clean([this](const std::string& layer) { return boxes_->UsesFolder(layer); });
  return {};
}

BoxService::~BoxService() {
  images_.reset();  // ends what is being imported
  usage_monitor_.reset();
  if (!keeps_boxes_ && boxes_ != nullptr) {
    asio::io_context io;
    asio::co_spawn(io, boxes_->RemoveAll(), asio::detached);
    io.run();
  }
  const bool empty = boxes_ == nullptr || boxes_->size() == 0;
  boxes_.reset();  // with the parked ones
  host_.reset();
  launcher_.reset();
  egress_.reset();
  networks_.reset();
  cgroups_.reset();
  if (empty && storage_ != nullptr) {
    if (Status unmounted = storage_->Unmount(); !unmounted)
      log::Warn("storage.left_mounted", {{"error", unmounted.error().message}});
  }
}

}  // namespace viv::server
