// viv: the server and the command line in one program.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "cli/accounts.h"
#include "cli/apps.h"
#include "cli/box_commands.h"
#include "cli/boxes.h"
#include "cli/complain.h"
#include "cli/doctor.h"
#include "cli/keys.h"
#include "cli/list.h"
#include "server/box_service.h"
#include "server/serve.h"
#include "server/settings.h"

namespace viv {
namespace {

constexpr char kAbout[] =
    "Isolated, resettable environments for AI agents.\n"
    "\n"
    "Examples:\n"
    "  viv serve                                start on 127.0.0.1:7373\n"
    "  viv serve --listen 0.0.0.0:80 --key KEY  let others in\n"
    "  viv shell                                a terminal in a new box\n"
    "  viv exec BOX -- make test                run a command in a box\n"
    "  viv ls                                   the sandboxes you hold\n"
    "  viv key create --name ci                 a key for somebody else\n"
    "  viv apps test slack                      run an app's own tests\n"
    "  viv doctor                               is this machine ready?";

std::vector<std::string> AppFolders(const server::Settings& settings) {
  std::vector<std::string> folders;
  if (!settings.builtin_apps.empty()) folders.push_back(settings.builtin_apps);
  folders.insert(folders.end(), settings.apps.begin(), settings.apps.end());
  return folders;
}

// The file named by --config, else vivarium.yaml here, if there is one.
Status ReadConfiguration(int argc, char** argv, server::Settings& settings) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--config")
      return server::ReadSettingsFile(argv[i + 1], settings);
  }
  if (std::filesystem::exists("vivarium.yaml"))
    return server::ReadSettingsFile("vivarium.yaml", settings);
  return {};
}

void ConfigureLog(const server::Settings& settings) {
  const std::map<std::string, log::Level> levels = {{"debug", log::Level::kDebug},
                                                    {"info", log::Level::kInfo},
                                                    {"warn", log::Level::kWarn},
                                                    {"error", log::Level::kError}};
  log::Configure(levels.at(settings.log_level),
                 settings.log_format == "json" ? log::Format::kJson : log::Format::kText);
}

void AddAppsOptions(CLI::App& command, server::Settings& settings) {
  command
      .add_option("--apps", settings.apps,
                  "A folder with apps of your own; may be given several times")
      ->envname("VIV_APPS");
  command.add_option("--builtin-apps", settings.builtin_apps, "Where the built-in apps are")
      ->envname("VIV_BUILTIN_APPS");
}

void AddBoxOptions(CLI::App& command, server::Settings& settings) {
  command
      .add_option("--boxes", settings.boxes,
                  "auto: where this machine can; on: or do not start; off: worlds only")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->envname("VIV_BOXES")
      ->capture_default_str();
  command
      .add_option("--on-exit", settings.on_exit,
                  "keep: boxes live on when the server stops; kill: they end with it")
      ->check(CLI::IsMember({"keep", "kill"}))
      ->capture_default_str();
  command.add_option("--boxes-max", settings.boxes_max, "Boxes at once")->capture_default_str();
  command.add_option("--parked", settings.parked, "Boxes that wait ready, per template")
      ->capture_default_str();
  command
      .add_option("--domain", settings.domain,
                  "Ports of boxes are {port}-{id}.DOMAIN; may carry a port, such as box.test:7443")
      ->envname("VIV_DOMAIN");
  command.add_option("--tls-listen", settings.tls_listen,
                     "HOST:PORT for TLS beside the plain one; `viv cert` makes a certificate");
  command.add_option("--resolver", settings.resolvers,
                     "HOST[:PORT] that answers the names boxes ask for; may be repeated");
  command.add_option("--open-private", settings.open_private,
                     "A private block, such as 10.0.0.0/8, that boxes may reach; may be repeated");
  command.add_option("--egress-ca", settings.egress_cas,
                     "A PEM file of authorities to trust, beside this machine's own, when requests "
                     "of boxes are given secrets; may be repeated");
  command.add_flag("--accept-no-disk-limit", settings.accept_no_disk_limit,
                   "Run boxes although their disk use cannot be limited here");
  command.add_option("--servers", settings.servers,
                     "servers.yaml: stdio MCP servers of your own; default: DATA/servers.yaml");
  command.add_option("--agent", settings.agent, "Path of viv-agent; default: beside viv");
  command.add_option("--tools", settings.tools,
                     "Path of viv-tools, the servers of local sandboxes; default: beside viv");
  command.add_option("--builtin-profiles", settings.builtin_profiles,
                     "Where the built-in workspaces of local sandboxes are");
  command
      .add_option("--local-data", settings.local_data,
                  "A folder with workspaces of your own: DIR/MCP_Atlas is what /data has in local "
                  "sandboxes of that benchmark")
      ->envname("VIV_LOCAL_DATA");
}

void AddServeOptions(CLI::App& command, server::Settings& settings) {
  command.add_option("--listen", settings.listen, "HOST:PORT")
      ->envname("VIV_LISTEN")
      ->capture_default_str();
  command.add_option("--data", settings.data, "Where everything is kept")
      ->envname("VIV_DATA")
      ->capture_default_str();
  command
      .add_option("--key", settings.key,
                  "A key valid for the default account; without one DATA/key is made")
      ->envname("VIV_API_KEY");
  AddAppsOptions(command, settings);
  command
      .add_option("--public-url", settings.public_url,
                  "How clients reach this server, when a proxy stands between")
      ->envname("VIV_PUBLIC_URL");
  command.add_option("--allow-origin", settings.allowed_origins,
                     "A web origin that may call MCP servers; may be repeated");
  command.add_option("--tls-certificate", settings.tls_certificate,
                     "PEM file with the certificate chain: serve HTTPS");
  command.add_option("--tls-key", settings.tls_key, "PEM file with its private key");
  command.add_option("--threads", settings.threads, "0: one per core")->capture_default_str();
  command.add_option("--body-max", settings.body_bytes_max, "Largest request body, in bytes")
      ->capture_default_str();
  command.add_option("--connections-max", settings.connections_max, "Connections at once")
      ->capture_default_str();
  command.add_option("--pool-max", settings.pool_max, "Sandboxes per app")->capture_default_str();
  command.add_option("--mcp-page", settings.mcp_page, "Tools per page of tools/list")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_flag("--sync,!--no-sync", settings.sync,
                "Records survive a power failure, not only a crash")
      ->capture_default_str();
  AddBoxOptions(command, settings);
  command.add_option("--log-format", settings.log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_option("--log-level", settings.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  command.add_option(
      "--config", "A YAML file with these settings; default vivarium.yaml here, if there is one");
  command.footer(
      "\nExamples:\n  viv serve\n  viv serve --listen 127.0.0.1:8080 --data /srv/vivarium\n  viv "
      "serve --apps ./my-apps");
}

int Run(int argc, char** argv) {
  server::Settings settings;
  settings.data = server::DefaultDataFolder();
  settings.builtin_apps = server::FindBuiltinApps();
  settings.builtin_profiles = server::FindBuiltinProfiles();
  Status configured = ReadConfiguration(argc, argv, settings);
  if (!configured) return cli::Complain(configured.error());
  cli::Remote remote;
  remote.data = settings.data;
  cli::AppsOptions apps_options;
  std::string name;
  std::size_t limit = 100;
  int code = 0;

  CLI::App app(kAbout, "viv");
  app.require_subcommand(1);
  app.set_version_flag("--version", "viv 0.1.0");

  auto* serve = app.add_subcommand("serve", "Start the server in the foreground");
  AddServeOptions(*serve, settings);
  serve->callback([&] {
    ConfigureLog(settings);
    Status served = server::Serve(settings);
    if (!served) code = cli::Complain(served.error());
  });

  auto* doctor = app.add_subcommand("doctor", "Check whether this machine can run Vivarium");
  doctor->add_option("--data", settings.data, "The data folder to check")
      ->envname("VIV_DATA")
      ->capture_default_str();
  AddAppsOptions(*doctor, settings);
  doctor->footer("\nExample:\n  viv doctor --data /srv/vivarium");
  doctor->callback([&] {
    const std::string agent = settings.agent.empty() ? server::FindAgent() : settings.agent;
    const std::string tools = settings.tools.empty() ? server::FindTools() : settings.tools;
    code = cli::Doctor({settings.data, AppFolders(settings), agent, tools});
  });

  auto* ls = app.add_subcommand("ls", "List the sandboxes you hold");
  cli::AddRemoteOptions(*ls, remote);
  ls->add_option("--server", name, "Only those of this app");
  ls->add_option("--limit", limit, "How many at most")->capture_default_str();
  ls->footer("\nExamples:\n  viv ls\n  viv ls --server slack");
  ls->callback([&] {
    code = name.empty() ? cli::ListBoxes(remote, limit) : 0;
    if (code == 0) code = cli::ListSandboxes(remote, name, limit);
  });

  auto box_options = cli::AddBoxCommands(app, remote, code);

  auto* key = app.add_subcommand("key", "Create, list and revoke keys");
  key->require_subcommand(1);
  key->footer("\nExamples:\n  viv key create --name ci\n  viv key list\n  viv key revoke ID");
  auto* key_create = key->add_subcommand("create", "Make a key and print it, this once");
  cli::AddRemoteOptions(*key_create, remote);
  key_create->add_option("--name", name, "What it is for");
  std::string key_account;
  key_create->add_option("--account", key_account,
                         "Whose it shall be, by name or id; needs the server's own key");
  key_create->footer(
      "\nExamples:\n  viv key create --name ci\n  viv key create --account alice --name laptop");
  key_create->callback([&] { code = cli::CreateKey(remote, {name, key_account}); });
  auto* key_list = key->add_subcommand("list", "List the keys of the account");
  cli::AddRemoteOptions(*key_list, remote);
  key_list->footer("\nExample:\n  viv key list");
  key_list->callback([&] { code = cli::ListKeys(remote); });
  auto* key_revoke = key->add_subcommand("revoke", "Make a key invalid");
  cli::AddRemoteOptions(*key_revoke, remote);
  key_revoke->add_option("id", name, "The key's id, from `viv key list`")->required();
  key_revoke->footer("\nExample:\n  viv key revoke 0f8fad5b-d9cb-469f-a165-70867728950e");
  key_revoke->callback([&] { code = cli::RevokeKey(remote, name); });

  auto account_options = cli::AddAccountCommands(app, remote, code);

  auto* apps = app.add_subcommand("apps", "List and test apps");
  apps->require_subcommand(1);
  apps->footer(
      "\nExamples:\n  viv apps ls\n  viv apps test slack\n  viv apps test --apps ./my-apps "
      "tickets");
  auto* apps_ls = apps->add_subcommand("ls", "List the apps there are");
  AddAppsOptions(*apps_ls, settings);
  apps_ls->footer("\nExample:\n  viv apps ls --apps ./my-apps");
  apps_ls->callback([&] {
    apps_options.folders = AppFolders(settings);
    code = cli::ListApps(apps_options);
  });
  auto* apps_test = apps->add_subcommand("test", "Load an app and run its .case files");
  AddAppsOptions(*apps_test, settings);
  apps_test->add_option("name", apps_options.name, "The app; all when not given");
  apps_test->add_option("--only", apps_options.only, "Only the files whose name contains this");
  apps_test->footer("\nExamples:\n  viv apps test\n  viv apps test slack --only messages");
  apps_test->callback([&] {
    apps_options.folders = AppFolders(settings);
    code = cli::TestApps(apps_options);
  });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  return code;
}

}  // namespace
}  // namespace viv

int main(int argc, char** argv) {
  try {
    return viv::Run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "viv: {}\n", e.what());
    return 1;
  }
}
