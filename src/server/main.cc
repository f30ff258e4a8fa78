// viv: the server and the command line in one program.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/version.h"
#include "cli/accounts.h"
#include "cli/apps.h"
#include "cli/box_commands.h"
#include "cli/completion.h"
#include "cli/doctor.h"
#include "cli/keys.h"
#include "cli/list.h"
#include "cli/print_error.h"
#include "cli/usage.h"
#include "cli/worlds.h"
#include "server/box_service.h"
#include "server/down.h"
#include "server/serve.h"
#include "server/setting_definitions.h"
#include "server/settings.h"

namespace viv {
namespace {

constexpr char kAbout[] =
    "Isolated, resettable environments for AI agents.\n"
    "\n"
    "Examples:\n"
    "  viv serve                                start on 127.0.0.1:7373\n"
    "  viv serve --listen 0.0.0.0:80 --key KEY  accept other machines\n"
    "  viv shell                                a terminal in a new box\n"
    "  viv exec BOX -- make test                run a command in a box\n"
    "  viv world acquire slack                  a simulated Slack of your own\n"
    "  viv ls                                   your boxes and worlds\n"
    "  viv down                                 end all boxes\n"
    "  viv key create --name ci                 a key for somebody else\n"
    "  viv apps test slack                      run an app's own tests\n"
    "  viv doctor                               check this machine";

std::vector<std::string> AppFolders(const server::Settings& settings) {
  std::vector<std::string> folders;
  if (!settings.builtin_apps.empty()) folders.push_back(settings.builtin_apps);
  folders.insert(folders.end(), settings.apps.begin(), settings.apps.end());
  return folders;
}

// The file named by --config, else vivarium.yaml here, if there is one.
Status ReadConfiguration(int argc, char** argv, server::Settings& settings) {
  constexpr std::string_view kFlag = "--config";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == kFlag && i + 1 < argc) return server::ReadSettingsFile(argv[i + 1], settings);
    if (word.starts_with("--config="))
      return server::ReadSettingsFile(std::string(word.substr(kFlag.size() + 1)), settings);
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

void AddAppFlags(CLI::App& command, server::Settings& settings) {
  server::AddSettingFlag(command, settings, "apps");
  server::AddSettingFlag(command, settings, "builtin_apps");
}

void AddServe(CLI::App& app, server::Settings& settings, int& code) {
  CLI::App* serve = app.add_subcommand("serve", "Start the server in the foreground");
  server::AddServeFlags(*serve, settings);
  serve->add_option(
      "--config",
      "YAML file with these settings; default: vivarium.yaml in the current folder, if it exists");
  serve->footer(
      "\nA flag wins over its environment variable, in brackets, and that over vivarium.yaml.\n"
      "\nExamples:\n  viv serve\n  viv serve --listen 127.0.0.1:8080 --data /srv/vivarium\n  viv "
      "serve --apps ./my-apps");
  serve->callback([&settings, &code] {
    ConfigureLog(settings);
    Status served = server::Serve(settings);
    if (!served) code = cli::PrintError(served.error());
  });
}

void AddDoctor(CLI::App& app, server::Settings& settings, int& code) {
  CLI::App* doctor = app.add_subcommand("doctor", "Check whether this machine can run Vivarium");
  server::AddSettingFlag(*doctor, settings, "data");
  AddAppFlags(*doctor, settings);
  doctor->footer("\nExample:\n  viv doctor --data /srv/vivarium");
  doctor->callback([&settings, &code] {
    const std::string agent = settings.agent.empty() ? server::FindAgent() : settings.agent;
    const std::string tools = settings.tools.empty() ? server::FindTools() : settings.tools;
    code = cli::Doctor({settings.data, AppFolders(settings), agent, tools});
  });
}

void AddList(CLI::App& app, cli::Remote& remote, cli::ListOptions& options, int& code) {
  CLI::App* ls = app.add_subcommand("ls", "List your boxes and worlds");
  cli::AddRemoteOptions(*ls, remote);
  ls->add_option("--server", options.app, "Only worlds of this app");
  ls->add_option("--limit", options.limit, "Largest number of entries")->capture_default_str();
  cli::AddJsonFlag(*ls, remote);
  ls->footer("\nExamples:\n  viv ls\n  viv ls --server slack");
  ls->callback([&remote, &options, &code] { code = cli::ListAll(remote, options); });
}

void AddDown(CLI::App& app,
             server::Settings& settings,
             cli::Remote& remote,
             server::DownOptions& options,
             int& code) {
  CLI::App* down = app.add_subcommand(
      "down", "End all boxes, including those that run after their server has stopped");
  cli::AddRemoteOptions(*down, remote);
  server::AddSettingFlag(*down, settings, "agent");
  server::AddSettingFlag(*down, settings, "accept_no_disk_limit");
  down->add_flag("--yes", options.yes, "Do not ask for confirmation");
  cli::AddJsonFlag(*down, remote);
  down->footer(
      "\nWorlds, snapshots and templates stay. With --url the boxes of that server end; else those "
      "of\nthe data folder, through its server if one runs.\n\nExamples:\n  sudo viv down\n  viv "
      "down --yes --url http://127.0.0.1:7373");
  down->callback([&settings, &remote, &options, &code, down] {
    options.through_server = down->count("--url") > 0;
    options.json = remote.json;
    settings.data = remote.data;
    ConfigureLog(settings);
    code = server::Down(settings, remote, options);
  });
}

void AddVersionAndCompletion(CLI::App& app, std::string& shell, int& code) {
  app.set_version_flag("--version", fmt::format("viv {}", Version()));
  app.add_subcommand("version", "Print the version")
      ->footer("\nExample:\n  viv version")
      ->callback([] { fmt::print("viv {}\n", Version()); });
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes commands in your shell");
  completion->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->type_name("{bash,zsh,fish}");
  completion->footer(
      "\nExamples:\n  source <(viv completion bash)\n  viv completion fish > "
      "~/.config/fish/completions/viv.fish");
  completion->callback([&app, &shell, &code] {
    auto script = cli::CompletionScript(app, shell);
    if (!script) {
      code = cli::PrintError(script.error());
      return;
    }
    fmt::print("{}", *script);
  });
}

int Run(int argc, char** argv) {
  server::Settings settings;
  settings.data = server::DefaultDataFolder();
  settings.builtin_apps = server::FindBuiltinApps();
  settings.builtin_profiles = server::FindBuiltinProfiles();
  // The later wins: the file, the environment, and flags when the command line is parsed.
  Status configured = ReadConfiguration(argc, argv, settings);
  if (configured) configured = server::ReadEnvironment(settings);
  if (!configured) return cli::PrintError(configured.error());
  cli::Remote remote{settings.url, settings.key, settings.data};
  cli::ListOptions list;
  server::DownOptions down;
  std::string shell;
  int code = 0;

  CLI::App app(kAbout, "viv");
  AddServe(app, settings, code);
  AddDoctor(app, settings, code);
  AddDown(app, settings, remote, down, code);
  AddList(app, remote, list, code);
  auto box_options = cli::AddBoxCommands(app, remote, code);
  auto world_options = cli::AddWorldCommands(app, remote, code);
  auto key_options = cli::AddKeyCommands(app, remote, code);
  auto account_options = cli::AddAccountCommands(app, remote, code);
  cli::AppFolderSource folders{[&settings](CLI::App& command) { AddAppFlags(command, settings); },
                               [&settings] { return AppFolders(settings); }};
  auto app_options = cli::AddAppCommands(app, folders, code);
  AddVersionAndCompletion(app, shell, code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return cli::ExplainParseError(app, e);
  }
  const int helped = cli::ShowHelpOfGroup(app);
  return helped == -1 ? code : helped;
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
