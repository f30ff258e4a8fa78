#include "server/serve.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <future>

#include "base/log.h"
#include "base/open_files.h"
#include "http/server.h"
#include "server/banner.h"
#include "server/components.h"
#include "server/forwarded.h"
#include "server/listen_options.h"
#include "server/maintenance.h"
#include "server/server_routes.h"
#include "server/signal_waiter.h"

namespace viv::server {
namespace {

constexpr std::chrono::seconds kCancelAfter{3};  // of stopping: calls in worlds end
constexpr std::chrono::seconds kExitAfter{30};   // then: the process ends with what still runs

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

// How clients reach this server, as far as it knows.
std::string OriginOf(const Settings& settings, const Address& address, std::uint16_t port) {
  if (!settings.public_url.empty()) return settings.public_url;
  return (IsSecure(settings) ? "https://" : "http://") + address.host + ":" + std::to_string(port);
}

void TellStarted(const Components& components, const Address& address, const http::Server& server) {
  const Settings& settings = components.settings;
  PrintBanner({.address = address.host,
               .port = server.port(),
               .secure = IsSecure(settings),
               .key = components.server_key->key(),
               .key_file = components.server_key->file(),
               .data = settings.data,
               .apps = components.catalogue->List().size(),
               .no_boxes = components.boxes == nullptr ? components.why_no_boxes : std::string()});
  if (!settings.tls_listen.empty()) log::Info("server.tls", {{"port", server.ports().back()}});
  log::Info("server.started", {{"listen", address.host + ":" + std::to_string(server.port())},
                               {"data", settings.data}});
}

// Runs the server until a signal stops it.
void RunUntilStopped(http::Server& server, Components& components, SignalWaiter& signals) {
  std::promise<void> ended;
  signals.Start([&server, &components, all = ended.get_future().share()] {
    server.Stop();
    EndCalls(*components.sandboxes, all);
  });
  server.Run();
  ended.set_value();
  signals.Join();  // before what it refers to is destroyed
}

}  // namespace

Status Serve(const Settings& settings) {
  ASSIGN_OR_RETURN(Address address, ParseAddress(settings.listen));
  RETURN_IF_ERROR(CheckListenSettings(settings, address));
  ASSIGN_OR_RETURN(TrustedProxies proxies, TrustedProxies::Read(settings.trusted_proxies));
  // Secrets pass through this process, so it writes no core dump and its memory is not readable by
  // others.
  ::prctl(PR_SET_DUMPABLE, 0);
  RaiseOpenFileLimit();  // early: what is started below reads the limit
  SignalWaiter signals;  // first: every thread started below inherits the blocked signals
  ASSIGN_OR_RETURN(std::unique_ptr<Components> components, OpenComponents(settings));
  ASSIGN_OR_RETURN(std::unique_ptr<ServerRoutes> routes, ServerRoutes::Open(*components, address));
  ASSIGN_OR_RETURN(
      std::unique_ptr<http::Server> server,
      http::Server::Create(ListenOptions(settings, address),
                           routes->MakeHandler(std::move(proxies)), routes->error_renderer()),
      "listen on " + settings.listen);
  routes->metrics().AddGauge({"viv_connections", "Open connections"}, {},
                             [&server] { return static_cast<double>(server->connections()); });
  Maintenance maintenance(*components, *routes);
  if (components->boxes != nullptr)
    components->boxes->egress().SetOrigin(OriginOf(settings, address, server->port()));
  TellStarted(*components, address, *server);
  RunUntilStopped(*server, *components, signals);
  log::Info("server.stopped");
  if (components->boxes != nullptr && settings.on_exit == "keep")
    PrintBoxesKeptRunning(components->boxes->boxes().size(), settings.data);
  return {};
}

}  // namespace viv::server
