#include "server/serve.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "accounts/accounts.h"
#include "base/blocking_pool.h"
#include "base/fair_pool.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/open_files.h"
#include "base/task_group.h"
#include "dialects/dashboard/context.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/server_tools.h"
#include "engine/catalogue.h"
#include "http/middleware/access_log.h"
#include "http/middleware/errors.h"
#include "http/middleware/metrics.h"
#include "http/middleware/request_id.h"
#include "http/middleware/request_metrics.h"
#include "http/route_table.h"
#include "http/server.h"
#include "http/tls.h"
#include "local/local_servers.h"
#include "mcp/routes.h"
#include "server/banner.h"
#include "server/box_dialects.h"
#include "server/box_service.h"
#include "server/budget_wiring.h"
#include "server/dialect_errors.h"
#include "server/down.h"
#include "server/forwarded.h"
#include "server/local_service.h"
#include "server/openapi.h"
#include "server/operations.h"
#include "server/server_key.h"
#include "server/template_builds.h"
#include "storage/disk_space.h"
#include "store/sqlite/sqlite_store.h"
#include "worlds/sandboxes.h"

namespace viv::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockingThreads = 4;
constexpr std::size_t kBodyBytesAtOnce = 16 << 10;  // of callers that are not authenticated yet
constexpr std::chrono::seconds kCancelAfter{3};     // of stopping: calls in worlds end
constexpr std::chrono::seconds kExitAfter{30};      // then: the process ends with what still runs
constexpr std::chrono::seconds kWorldMaintenanceInterval{1};
constexpr std::chrono::milliseconds kBoxMaintenanceInterval{100};
constexpr std::chrono::milliseconds kStreamCheckInterval{100};

Status MakeDataFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return Fail(ErrorCode::kUnavailable,
                "cannot make the data folder " + path + ": " + error.message());
  fs::permissions(path, fs::perms::owner_all, error);  // keys and worlds are private
  return {};
}

// Old versions of apps are kept while a sandbox uses them.
void RemoveUnusedVersions(const store::Store& store, engine::Catalogue& catalogue) {
  std::set<std::string> used;
  store.ForEachSandbox([&used](const store::Sandbox& sandbox) {
    if (!sandbox.image.empty()) used.insert(sandbox.image);
  });
  for (const std::string& version : used) {
    auto found = catalogue.FindVersion(version);
    if (!found)
      log::Error("app.version_lost", {{"version", version}, {"error", found.error().message}});
  }
  catalogue.RemoveUnused([&used](const std::string& version) { return used.contains(version); });
}

Task<void> RunBoxMaintenance(boxes::BoxManager& boxes) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kBoxMaintenanceInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    co_await boxes.RunMaintenance();
  }
}

Task<void> RunWorldMaintenance(worlds::Sandboxes& sandboxes, engine::Catalogue& catalogue) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kWorldMaintenanceInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    co_await sandboxes.ReleaseExpired();
    for (const auto& load_error : catalogue.Refresh()) {
      log::Error("app.not_loaded", {{"app", load_error.app}, {"error", load_error.message}});
    }
  }
}

Task<void> EndOrphanedStreams(mcp::Routes& routes) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kStreamCheckInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    routes.EndOrphanedStreams();
  }
}

// Waits for SIGTERM or SIGINT on a thread of its own; the signals are blocked everywhere else.
class SignalWaiter {
 public:
  SignalWaiter() {
    sigemptyset(&set_);
    for (int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
  }
  ~SignalWaiter() { Join(); }
  void Join() {  // the server has stopped
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  void Start(std::function<void()> on_stop) {
    thread_ = std::thread([this, on_stop = std::move(on_stop)] {
      int signal = 0;
      sigwait(&set_, &signal);
      if (signal == SIGUSR1) return;  // the server stopped by itself
      log::Info("server.stopping", {{"signal", signal}});
      on_stop();
    });
  }

 private:
  sigset_t set_;
  std::thread thread_;
};

// Ends what does not end by itself when the server stops: first the calls in worlds, then the
// process, which is no worse than a crash.
void EndCalls(worlds::Sandboxes& sandboxes, const std::shared_future<void>& all) {
  if (all.wait_for(kCancelAfter) == std::future_status::ready) return;
  log::Warn("server.cancelling_calls");
  sandboxes.CancelCalls();
  if (all.wait_for(kExitAfter) == std::future_status::ready) return;
  log::Error("server.not_stopped", {{"seconds", kExitAfter.count()}});
  ::_exit(1);
}

// An io_context with one thread for work that belongs to no request.
class Background {
 public:
  Background() : work_(asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {}
  ~Background() {
    asio::post(io_, [this] { tasks_.reset(); });
    work_.reset();
    thread_.join();
  }
  void Spawn(std::string name, Task<void> task) {
    asio::post(io_, [this, name = std::move(name),
                     task = std::make_shared<Task<void>>(std::move(task))]() mutable {
      tasks_->Spawn(std::move(name), std::move(*task));
    });
  }

 private:
  asio::io_context io_;
  std::unique_ptr<TaskGroup> tasks_ = std::make_unique<TaskGroup>(io_.get_executor());
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

// Starts boxes if the settings and the machine allow them; otherwise `why_not` gets the reason.
Result<std::unique_ptr<BoxService>> StartBoxes(const Settings& settings,
                                               store::Store& store,
                                               BlockingPool& pool,
                                               const accounts::Accounts& accounts,
                                               accounts::Budgets& budgets,
                                               const std::string& secret,
                                               std::string& why_not) {
  why_not = "boxes are off: start the server with --boxes on";
  if (settings.boxes == "off") return nullptr;
  auto started = BoxService::Start(settings, store, pool, accounts, budgets, secret);
  // Invalid data of the operator is an error even if boxes are optional.
  if (started) RETURN_IF_ERROR((*started)->OpenWorkspaces(settings));
  if (started || settings.boxes == "on") return started;
  why_not = "this server runs no boxes: " + started.error().message;
  log::Warn("boxes.off", {{"reason", started.error().message}});
  return nullptr;
}

// The problems that /readyz reports. A machine that never ran boxes is ready without them.
std::vector<std::string> ProblemsOf(const Settings& settings,
                                    const BoxService* boxes,
                                    const std::string& why_no_boxes) {
  if (boxes != nullptr) return boxes->Problems();
  std::vector<std::string> problems;
  std::error_code error;
  if (settings.boxes != "off" && fs::exists(settings.data + "/boxes/store.img", error))
    problems.push_back(why_no_boxes);
  auto room = storage::ReadDiskSpace(settings.data, settings.data);
  if (room && room->IsLow()) problems.push_back(storage::DescribeLowDisk(*room));
  return problems;
}

// The MCP servers that local sandboxes may have: the built-in ones and the operator's.
Result<local::LocalServers> ReadLocalServers(const Settings& settings) {
  local::LocalServers servers;
  const std::string usual = settings.data + "/servers.yaml";
  std::error_code error;
  if (!settings.servers.empty()) {
    RETURN_IF_ERROR(servers.AddFile(settings.servers), "--servers");
  } else if (fs::exists(usual, error)) {
    RETURN_IF_ERROR(servers.AddFile(usual));
  }
  return servers;
}

http::ServerOptions HttpOptions(const Settings& settings, const Address& address) {
  http::ServerOptions options;
  options.host = address.host;
  options.port = address.port;
  options.threads = static_cast<unsigned>(settings.threads);
  options.body_bytes_max = settings.body_bytes_max;
  options.body_defer_above_bytes = kBodyBytesAtOnce;
  options.connections_max = settings.connections_max;
  options.streams_body = [domain = settings.domain](const http::Request& request) {
    return IsStreamedToBoxes(domain, request) || blobs::IsStreamedToBlobs(request);
  };
  if (settings.tls_certificate.empty()) return options;
  auto files =
      std::make_unique<http::TlsFiles>(http::TlsFiles{settings.tls_certificate, settings.tls_key});
  options.tls_library = &http::OpenSsl();
  if (settings.tls_listen.empty()) {
    options.tls = std::move(files);
    return options;
  }
  auto tls_address = ParseAddress(settings.tls_listen);
  http::ListenerOptions listener;
  listener.host = tls_address->host;
  listener.port = tls_address->port;
  listener.tls = std::move(files);
  options.extra.push_back(std::move(listener));
  return options;
}

Status CheckSettings(const Settings& settings, const Address& address) {
  if (!address.is_loopback() && settings.key.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "listening on " + address.host +
                    " lets others in, so choose the key yourself: --key KEY, VIV_API_KEY or `key:` "
                    "in vivarium.yaml");
  }
  if (settings.tls_certificate.empty() != settings.tls_key.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "TLS needs both --tls-certificate and --tls-key");
  }
  if (settings.tls_listen.empty()) return {};
  if (settings.tls_certificate.empty())
    return Fail(
        ErrorCode::kInvalidArgument,
        "--tls-listen needs a certificate: `viv cert DOMAIN` makes one and says how to use it");
  auto tls_address = ParseAddress(settings.tls_listen);
  if (!tls_address) return PassUp(std::move(tls_address).error(), "--tls-listen");
  return {};
}

}  // namespace

Status Serve(const Settings& settings) {
  ASSIGN_OR_RETURN(Address address, ParseAddress(settings.listen));
  RETURN_IF_ERROR(CheckSettings(settings, address));
  ASSIGN_OR_RETURN(local::LocalServers local_servers, ReadLocalServers(settings));
  ASSIGN_OR_RETURN(TrustedProxies proxies, TrustedProxies::Read(settings.trusted_proxies));
  // Secrets pass through this process, so it writes no core dump and its memory is not readable by
  // others.
  ::prctl(PR_SET_DUMPABLE, 0);
  RaiseOpenFileLimit();  // early: what is started below reads the limit
  SignalWaiter signals;  // first: every thread started below inherits the blocked signals
  RETURN_IF_ERROR(MakeDataFolder(settings.data));

  store::SqliteStore::Options store_options;
  if (!settings.sync) store_options.database.durability = store::Durability::kNormal;
  ASSIGN_OR_RETURN(std::unique_ptr<store::SqliteStore> store,
                   store::SqliteStore::Open(settings.data + "/viv.db", store_options));
  ASSIGN_OR_RETURN(std::string secret, ReadOrMakeSecret(settings.data + "/secret", RandomHex(64)));
  accounts::Accounts accounts(*store);
  ASSIGN_OR_RETURN(std::unique_ptr<ServerKey> server_key, ServerKey::Open(settings, accounts));
  ASSIGN_OR_RETURN(std::unique_ptr<accounts::Budgets> budgets, OpenBudgets(settings, *store));

  engine::Catalogue::Options catalogue_options;
  if (!settings.builtin_apps.empty()) catalogue_options.folders.push_back(settings.builtin_apps);
  for (const std::string& folder : settings.apps) catalogue_options.folders.push_back(folder);
  catalogue_options.data = settings.data;
  engine::Catalogue catalogue(std::move(catalogue_options));
  if (!fs::exists(settings.data + "/images")) PrintFirstStart();
  for (const auto& load_error : catalogue.Refresh()) {
    log::Error("app.not_loaded", {{"app", load_error.app}, {"error", load_error.message}});
  }

  RemoveUnusedVersions(*store, catalogue);

  worlds::Worlds worlds(catalogue, settings.data + "/worlds");
  worlds.RemoveOrphans(
      [&](const std::string& lease_id) { return store->GetSandboxByLease(lease_id).has_value(); });
  BlockingPool pool(kBlockingThreads);
  FairPool world_pool(
      {.threads = std::max<std::size_t>(kBlockingThreads, std::thread::hardware_concurrency())});
  std::string why_no_boxes;
  ASSIGN_OR_RETURN(std::unique_ptr<BoxService> boxes,
                   StartBoxes(settings, *store, pool, accounts, *budgets, secret, why_no_boxes),
                   "boxes");
  worlds::SandboxLimits limits;
  limits.sandboxes_per_server_max = settings.pool_max;
  limits.budgets = budgets.get();
  worlds::Sandboxes sandboxes(*store, catalogue, worlds, world_pool, limits);

  http::KeyLookup keys = [&accounts](std::string_view given) -> std::optional<http::Identity> {
    auto found = accounts.Authenticate(given);
    if (!found) return std::nullopt;
    return http::Identity{found->account_id, found->id};
  };
  keys.admit = AdmitBy(*budgets);
  klavis::Context klavis_context{sandboxes, settings.public_url};
  dashboard::Context dashboard_context{sandboxes, accounts, settings.public_url,
                                       boxes == nullptr ? nullptr : &boxes->boxes(), budgets.get()};
  dashboard_context.replace_server_key = [&server_key](std::string_view id,
                                                       const accounts::Accounts::NewKey& fresh) {
    return server_key->Replace(id, fresh);
  };
  mcp::OriginPolicy origins{address.is_loopback(), settings.allowed_origins, settings.public_url};
  mcp::Routes::Local local{boxes == nullptr ? nullptr : &boxes->boxes(), &local_servers};
  mcp::Routes mcp_routes(sandboxes, local, {settings.mcp_page}, std::move(origins), secret);
  mcp_routes.SetAdmit(AdmitBy(*budgets));
  http::Metrics metrics;
  metrics.AddGauge({"viv_sandboxes", "Pooled sandboxes, including idle ones"}, {},
                   [&store] { return static_cast<double>(store->CountSandboxes()); });
  metrics.AddGauge({"viv_worlds_in_memory", "Worlds that have been used since the start"}, {},
                   [&worlds] { return static_cast<double>(worlds.size()); });

  std::unique_ptr<BoxDialects> dialects;          // outlives the routes that lead to it
  std::unique_ptr<LocalService> local_sandboxes;  // the same
  http::Router router;
  DialectErrors errors(settings.domain, klavis::RenderRouteError);
  auto mount = [&](std::string_view prefix, const http::Router& routes,
                   DialectErrors::Render render) {
    router.Mount(prefix, routes);
    errors.Add(prefix, routes, render);
  };
  auto mount_klavis = [&](const http::Router& routes) {
    for (std::string_view prefix : {"", "/klavis"}) mount(prefix, routes, klavis::RenderRouteError);
  };
  mount_klavis(klavis::Routes(klavis_context, keys));
  klavis::ServerToolsContext tools_context{mcp_routes, catalogue, local_servers,
                                           settings.public_url};
  mount_klavis(klavis::ServerToolsRoutes(tools_context, keys));
  mount("", dashboard::Routes(dashboard_context, keys), dashboard::RenderRouteError);
  http::Router mcp_router;
  mcp_routes.AddTo(mcp_router);
  mount("", mcp_router, mcp::RenderRouteError);
  AddOperations(router, metrics, [&settings, &boxes, &why_no_boxes] {
    return ProblemsOf(settings, boxes.get(), why_no_boxes);
  });
  AddOpenApi(router);
  AddRouteListing(router, keys);
  std::unique_ptr<TemplateBuilds> template_builds;
  if (boxes != nullptr) {
    BoxDialects::Parts parts{settings, *store, pool, accounts, *boxes, secret, *budgets};
    ASSIGN_OR_RETURN(dialects, BoxDialects::Open(parts), "dialects");
    MountDialects(dialects->Routes(keys), router, errors);
    dashboard_context.repository_bytes = [&dialects](std::string account_id) {
      return dialects->repositories().Size(std::move(account_id));
    };
    boxes->egress().AddTo(router);
    LocalService::Parts local_parts{settings, pool, *boxes, local_servers, secret, *budgets};
    ASSIGN_OR_RETURN(local_sandboxes, LocalService::Open(local_parts), "local sandboxes");
    mount_klavis(local_sandboxes->Routes(keys));
    local_sandboxes->AddBlobsTo(router);
    template_builds = std::make_unique<TemplateBuilds>(boxes->templates(), *budgets);
    template_builds->AddTo(router, keys);
    AddAllBoxes(router, {boxes->boxes(), accounts}, keys);
    metrics.AddGauge({"viv_boxes", "Boxes, including paused and stopped ones"}, {},
                     [&boxes] { return static_cast<double>(boxes->boxes().size()); });
    metrics.AddGauge({"viv_boxes_ending", "Removed boxes whose processes have not all ended"}, {},
                     [&boxes] { return static_cast<double>(boxes->boxes().ending()); });
    metrics.AddGauge({"viv_boxes_held", "Boxes that are frozen until there is free disk space"}, {},
                     [&boxes] { return static_cast<double>(boxes->boxes().frozen_for_disk()); });
    metrics.AddGauge({"viv_boxes_parked", "Boxes that were started ahead of time"}, {},
                     [&boxes] { return static_cast<double>(boxes->boxes().parked()); });
  } else {
    MountDialects(UnavailableDialects(why_no_boxes), router, errors);
    mount_klavis(klavis::UnavailableLocalRoutes(why_no_boxes));
    http::Handler refuse = http::AlwaysError(503, why_no_boxes, dashboard::RenderRouteError);
    TemplateBuilds::AddUnavailableTo(router, refuse);
    AddUnavailableAllBoxes(router, refuse);
  }

  // Outermost first. RequestId precedes the log, which writes it; Errors stands inside both, so
  // that they see its 500. Forwarded comes before whoever looks at Host.
  http::ErrorRenderer render_error = std::cref(errors);
  std::vector<http::Middleware> middlewares = {http::RequestId(), http::RequestMetrics(metrics),
                                               http::AccessLog(), http::Errors(render_error),
                                               Forwarded(std::move(proxies))};
  http::Handler no_traffic = http::AlwaysError(503, why_no_boxes, render_error);
  http::Handler dispatch = [&dialects, &settings, no_traffic,
                            control =
                                http::Dispatch(router, render_error)](http::Request& request) {
    if (dialects == nullptr) {
      const bool is_traffic = TrafficOf(settings.domain, request) != BoxTraffic::kNone;
      return is_traffic ? no_traffic(request) : control(request);
    }
    const http::Handler* traffic = dialects->TrafficHandler(request);
    return traffic != nullptr ? (*traffic)(request) : control(request);
  };
  http::Handler handler = http::Compose(middlewares, std::move(dispatch));
  ASSIGN_OR_RETURN(
      std::unique_ptr<http::Server> server,
      http::Server::Create(HttpOptions(settings, address), std::move(handler), render_error),
      "listen on " + settings.listen);
  metrics.AddGauge({"viv_connections", "Open connections"}, {},
                   [&server] { return static_cast<double>(server->connections()); });
  Background background;
  background.Spawn("housekeeping", RunWorldMaintenance(sandboxes, catalogue));
  background.Spawn("streams", EndOrphanedStreams(mcp_routes));
  if (boxes != nullptr) {
    background.Spawn("boxes", RunBoxMaintenance(boxes->boxes()));
    background.Spawn("runs", dialects->ExecuteRuns());
    background.Spawn("blobs", local_sandboxes->SweepBlobs());
  }
  const bool secure = !settings.tls_key.empty() && settings.tls_listen.empty();
  if (boxes != nullptr) {
    std::string origin = settings.public_url;
    if (origin.empty())
      origin =
          (secure ? "https://" : "http://") + address.host + ":" + std::to_string(server->port());
    boxes->egress().SetOrigin(std::move(origin));
  }
  std::promise<void> ended;
  signals.Start([&server, &sandboxes, all = ended.get_future().share()] {
    server->Stop();
    EndCalls(sandboxes, all);
  });
  PrintBanner({.address = address.host,
               .port = server->port(),
               .secure = secure,
               .key = server_key->key(),
               .key_file = server_key->file(),
               .data = settings.data,
               .apps = catalogue.List().size(),
               .no_boxes = boxes == nullptr ? why_no_boxes : std::string()});
  if (!settings.tls_listen.empty()) log::Info("server.tls", {{"port", server->ports().back()}});
  log::Info("server.started", {{"listen", address.host + ":" + std::to_string(server->port())},
                               {"data", settings.data}});
  server->Run();
  ended.set_value();
  signals.Join();  // before what it refers to is destroyed
  log::Info("server.stopped");
  if (boxes != nullptr && settings.on_exit == "keep")
    PrintBoxesKeptRunning(boxes->boxes().size(), settings.data);
  return {};
}

}  // namespace viv::server
