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
      {"url", "--url", &S::url, "The server that commands talk to"},
      {"listen", "--listen", &S::listen, "HOST:PORT"},
      {"data", "--data", &S::data, "Where everything is kept"},
      {"key", "--key", &S::key,
       "A key valid for the default account; without one DATA/key is made"},
      {"apps", "--apps", &S::apps, "A folder with apps of your own; may be repeated"},
      {"builtin_apps", "--builtin-apps", &S::builtin_apps, "Where the built-in apps are"},
      {"public_url", "--public-url", &S::public_url,
       "How clients reach this server, when a proxy stands between: https://viv.example"},
      {"trusted_proxies", "--trusted-proxy", &S::trusted_proxies,
       "An address or block whose X-Forwarded-Proto and X-Forwarded-Host are believed; may be "
       "repeated"},
      {"allowed_origins", "--allow-origin", &S::allowed_origins,
       "A web origin that may call MCP servers; may be repeated"},
      {"tls_certificate", "--tls-certificate", &S::tls_certificate,
       "PEM file with the certificate chain: serve HTTPS"},
      {"tls_key", "--tls-key", &S::tls_key, "PEM file with its private key"},
      {"threads", "--threads", &S::threads, "0: one per core"},
      {"body_bytes_max", "--body-max", &S::body_bytes_max, "Largest request body, in bytes"},
      {"connections_max", "--connections-max", &S::connections_max, "Connections at once"},
      {"pool_max", "--pool-max", &S::pool_max, "Sandboxes per app"},
      {"mcp_page", "--mcp-page", &S::mcp_page, "Tools per page of tools/list", {}, 1},
      {"sync", "--sync,!--no-sync", &S::sync, "Records survive a power failure, not only a crash"},
      {"boxes",
       "--boxes",
       &S::boxes,
       "auto: where this machine can; on: the server fails to start if boxes are unavailable; off: "
       "worlds only",
       {"auto", "on", "off"}},
      {"on_exit",
       "--on-exit",
       &S::on_exit,
       "keep: boxes live on when the server stops; kill: they end with it",
       {"keep", "kill"}},
      {"boxes_max", "--boxes-max", &S::boxes_max, "Boxes at once"},
      {"parked", "--parked", &S::parked, "Boxes that wait ready, per template"},
      {"domain", "--domain", &S::domain,
       "Ports of boxes are {port}-{id}.DOMAIN; may carry a port, such as box.test:7443"},
      {"tls_listen", "--tls-listen", &S::tls_listen,
       "HOST:PORT for TLS beside the plain one; `viv cert` makes a certificate"},
      {"resolvers", "--resolver", &S::resolvers,
       "HOST[:PORT] that answers the names boxes ask for; may be repeated"},
      {"open_private", "--open-private", &S::open_private,
       "A private block, such as 10.0.0.0/8, that boxes may reach; may be repeated"},
      {"egress_ca", "--egress-ca", &S::egress_cas,
       "A PEM file of authorities to trust, beside this machine's own, when requests of boxes are "
       "given secrets; may be repeated"},
      {"accept_no_disk_limit", "--accept-no-disk-limit", &S::accept_no_disk_limit,
       "Run boxes although their disk use cannot be limited here"},
      {"servers", "--servers", &S::servers,
       "servers.yaml: stdio MCP servers of your own; default: DATA/servers.yaml"},
      {"agent", "--agent", &S::agent, "Path of viv-agent; default: beside viv"},
      {"tools", "--tools", &S::tools,
       "Path of viv-tools, the servers of local sandboxes; default: beside viv"},
      {"builtin_profiles", "--builtin-profiles", &S::builtin_profiles,
       "Where the built-in workspaces of local sandboxes are"},
      {"local_data", "--local-data", &S::local_data,
       "A folder with workspaces of your own: DIR/MCP_Atlas is what /data has in local sandboxes "
       "of that benchmark"},
      {"log_format", "--log-format", &S::log_format, "How the log is written", {"text", "json"}},
      {"log_level",
       "--log-level",
       &S::log_level,
       "What is logged, and what is worse",
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
