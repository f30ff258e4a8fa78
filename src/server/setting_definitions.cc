#include "server/setting_definitions.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <CLI/CLI.hpp>

#include "base/check.h"
#include "base/text.h"

namespace viv::server {
namespace {

Result<std::size_t> ReadSettingNumber(const SettingDefinition& definition,
                                      const std::string& text) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end || text.empty() || number < definition.least) {
    return Fail(ErrorCode::kInvalidArgument, "a whole number of at least " +
                                                 std::to_string(definition.least) +
                                                 " is expected, not '" + text + "'");
  }
  return number;
}

Result<bool> ReadSettingBool(const std::string& text) {
  const std::string word = ToLower(text);
  for (std::string_view yes : {"true", "yes", "on", "1"})
    if (word == yes) return true;
  for (std::string_view no : {"false", "no", "off", "0"})
    if (word == no) return false;
  return Fail(ErrorCode::kInvalidArgument, "true or false is expected, not '" + text + "'");
}

// "{auto,on,off}", as CLI11 writes it.
std::string ChoiceType(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : ",") + choice;
  return "{" + text + "}";
}

}  // namespace

const std::vector<SettingDefinition>& AllSettings() {
  using S = Settings;
  static const std::vector<SettingDefinition> kTable = {
      {"url", "--url", &S::url, "URL of the server that commands use"},
      {"listen", "--listen", &S::listen, "HOST:PORT on which the server listens"},
      {"data", "--data", &S::data, "Folder in which the server stores all data"},
      {"key", "--key", &S::key,
       "A key of the default account; if none is given, the server creates one in DATA/key"},
      {"apps", "--apps", &S::apps, "Folder with further apps; may be repeated"},
      {"builtin_apps", "--builtin-apps", &S::builtin_apps, "Folder with the built-in apps"},
      {"public_url", "--public-url", &S::public_url,
       "URL that clients use if a reverse proxy forwards to this server: https://viv.example"},
      {"trusted_proxies", "--trusted-proxy", &S::trusted_proxies,
       "Address or CIDR block of a proxy whose X-Forwarded-Proto and X-Forwarded-Host are trusted; "
       "may be repeated"},
      {"allowed_origins", "--allow-origin", &S::allowed_origins,
       "A web origin that may call MCP servers; may be repeated"},
      {"tls_certificate", "--tls-certificate", &S::tls_certificate,
       "PEM file with the certificate chain; the server then serves HTTPS"},
      {"tls_key", "--tls-key", &S::tls_key, "PEM file with the private key of the certificate"},
      {"threads", "--threads", &S::threads, "Number of threads; 0: one per core"},
      {"body_bytes_max", "--body-max", &S::body_bytes_max, "Largest request body, in bytes"},
      {"connections_max", "--connections-max", &S::connections_max,
       "Largest number of connections at once"},
      {"pool_max", "--pool-max", &S::pool_max, "Largest number of sandboxes per app"},
      {"mcp_page", "--mcp-page", &S::mcp_page, "Tools per page of tools/list", {}, 1},
      {"sync", "--sync,!--no-sync", &S::sync,
       "Sync records to the disk: they survive a power failure, not only a crash"},
      {"boxes",
       "--boxes",
       &S::boxes,
       "auto: the server runs boxes if this machine supports them; on: the server fails to start "
       "if boxes are unavailable; off: the server runs worlds only",
       {"auto", "on", "off"}},
      {"on_exit",
       "--on-exit",
       &S::on_exit,
       "keep: boxes keep running when the server stops; kill: the server ends them",
       {"keep", "kill"}},
      {"boxes_max", "--boxes-max", &S::boxes_max, "Largest number of boxes at once"},
      {"parked", "--parked", &S::parked,
       "Number of boxes per template that the server starts ahead of time"},
      {"domain", "--domain", &S::domain,
       "Ports of boxes are reached at {port}-{id}.DOMAIN; DOMAIN may have a port: box.test:7443"},
      {"tls_listen", "--tls-listen", &S::tls_listen,
       "HOST:PORT on which the server also listens for TLS; `viv cert` creates a certificate"},
      {"resolvers", "--resolver", &S::resolvers,
       "HOST[:PORT] of a DNS server that resolves names for boxes; may be repeated"},
      {"open_private", "--open-private", &S::open_private,
       "Private CIDR block, such as 10.0.0.0/8, that boxes may reach; may be repeated"},
      {"egress_ca", "--egress-ca", &S::egress_cas,
       "PEM file of certificate authorities that the gateway trusts, in addition to this machine's "
       "own, when it adds secrets to requests of boxes; may be repeated"},
      {"accept_no_disk_limit", "--accept-no-disk-limit", &S::accept_no_disk_limit,
       "Run boxes even if this file system cannot limit their disk use"},
      {"servers", "--servers", &S::servers,
       "File with further stdio MCP servers; default: DATA/servers.yaml"},
      {"agent", "--agent", &S::agent, "Path of viv-agent; default: in the folder of viv"},
      {"tools", "--tools", &S::tools,
       "Path of viv-tools, the servers of local sandboxes; default: in the folder of viv"},
      {"builtin_profiles", "--builtin-profiles", &S::builtin_profiles,
       "Folder with the built-in workspaces of local sandboxes"},
      {"local_data", "--local-data", &S::local_data,
       "Folder with further workspaces: DIR/MCP_Atlas is the content of /data in local sandboxes "
       "of that benchmark"},
      {"log_format", "--log-format", &S::log_format, "Format of the log", {"text", "json"}},
      {"log_level",
       "--log-level",
       &S::log_level,
       "Lowest level that is logged",
       {"debug", "info", "warn", "error"}},
  };
  return kTable;
}

std::string SettingDefinition::environment() const {
  if (name == "key") return "VIV_API_KEY";
  std::string text = "VIV_" + name;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

const SettingDefinition& FindSetting(std::string_view name) {
  const auto& table = AllSettings();
  auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& it) { return it.name == name; });
  CHECK(found != table.end());
  return *found;
}

Status SetSetting(const SettingDefinition& definition,
                  Settings& settings,
                  const std::vector<std::string>& values) {
  if (auto list = std::get_if<std::vector<std::string> Settings::*>(&definition.field)) {
    settings.*(*list) = values;
    return {};
  }
  if (values.size() != 1) return Fail(ErrorCode::kInvalidArgument, "one value is expected");
  const std::string& value = values.front();
  const auto& choices = definition.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end())
    return Fail(ErrorCode::kInvalidArgument,
                JoinWithOr(choices) + " is expected, not '" + value + "'");
  if (auto text = std::get_if<std::string Settings::*>(&definition.field)) {
    settings.*(*text) = value;
  } else if (auto number = std::get_if<std::size_t Settings::*>(&definition.field)) {
    ASSIGN_OR_RETURN(settings.*(*number), ReadSettingNumber(definition, value));
  } else {
    ASSIGN_OR_RETURN(settings.*std::get<bool Settings::*>(definition.field),
                     ReadSettingBool(value));
  }
  return {};
}

std::string TextOfSetting(const SettingDefinition& definition, const Settings& settings) {
  if (auto text = std::get_if<std::string Settings::*>(&definition.field)) return settings.*(*text);
  if (auto number = std::get_if<std::size_t Settings::*>(&definition.field))
    return std::to_string(settings.*(*number));
  if (auto flag = std::get_if<bool Settings::*>(&definition.field))
    return settings.*(*flag) ? "true" : "false";
  std::string joined;
  for (const std::string& item :
       settings.*std::get<std::vector<std::string> Settings::*>(definition.field))
    joined += (joined.empty() ? "" : ",") + item;
  return joined;
}

void AddSettingFlag(CLI::App& command, Settings& settings, std::string_view name) {
  const SettingDefinition& definition = FindSetting(name);
  const std::string about = definition.about + " [" + definition.environment() + "]";
  if (auto flag = std::get_if<bool Settings::*>(&definition.field)) {
    command.add_flag(definition.flag, settings.*(*flag), about);
    return;
  }
  CLI::Option* option = command.add_option(
      definition.flag,
      [&definition, &settings](const CLI::results_t& values) {
        Status set = SetSetting(definition, settings, values);
        if (!set) throw CLI::ValidationError(definition.flag, set.error().message);
        return true;
      },
      about);
  // A list's flag is given once for each item: what follows an item belongs to the command.
  option->multi_option_policy(definition.is_list() ? CLI::MultiOptionPolicy::TakeAll
                                                   : CLI::MultiOptionPolicy::TakeLast);
  const bool is_number = std::holds_alternative<std::size_t Settings::*>(definition.field);
  option->type_name(!definition.choices.empty() ? ChoiceType(definition.choices)
                    : is_number                 ? "NUMBER"
                                                : "TEXT");
  if (!definition.is_secret()) option->default_str(TextOfSetting(definition, settings));
}

void AddServeFlags(CLI::App& command, Settings& settings) {
  for (const SettingDefinition& definition : AllSettings())
    if (definition.name != "url") AddSettingFlag(command, settings, definition.name);
}

}  // namespace viv::server
