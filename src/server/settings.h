#pragma once
// All settings, read once in main: from vivarium.yaml, then the environment, then flags; later ones
// override earlier ones. Each setting has all three (setting_definitions.h). The server does not
// start with unknown keys or invalid values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace viv::server {

struct Settings {
  std::string url = "http://127.0.0.1:7373";  // of the server that commands talk to
  std::string listen = "127.0.0.1:7373";      // HOST:PORT; port 0 takes any free one
  std::string data;               // the folder of all data; default ~/.local/share/vivarium
  std::string key;                // valid for the default account; without one DATA/key is made
  std::vector<std::string> apps;  // folders with apps of your own
  std::string builtin_apps;       // default: found beside the program
  std::string public_url;         // the URL that clients use, if there is a reverse proxy
  // CIDR blocks of proxies whose X-Forwarded-Proto and -Host are trusted.
  std::vector<std::string> trusted_proxies = {"127.0.0.0/8", "::1"};
  std::vector<std::string> allowed_origins;  // web origins that may call MCP servers
  std::string tls_certificate;               // PEM files; both or none
  std::string tls_key;
  std::string log_format = "text";        // text or json
  std::string log_level = "info";         // debug, info, warn or error
  std::size_t threads = 0;                // 0: one per core
  std::size_t body_bytes_max = 64 << 20;  // of one request
  std::size_t connections_max = 16'384;
  std::size_t pool_max = 100'000;  // sandboxes per app
  std::size_t mcp_page = 1000;     // tools per page of tools/list
  bool sync = true;                // records survive a power failure, not only a crash

  // Auto: if the machine supports them; on: the server fails to start without; off.
  std::string boxes = "auto";
  std::string agent;                      // viv-agent; default: beside the program
  std::string tools;                      // viv-tools; default: beside the program
  std::string builtin_profiles;           // default: found beside the program
  std::string local_data;                 // a folder per profile, in place of the built-in content
  std::string on_exit = "keep";           // keep or kill the boxes when the server stops
  std::size_t boxes_max = 9'500;          // further creations are refused
  std::size_t parked = 16;                // boxes that are started ahead of time, per template
  std::string servers;                    // stdio MCP servers of your own; DATA/servers.yaml
  std::string domain;                     // ports of boxes are reached at {port}-{id}.DOMAIN
  std::string tls_listen;                 // HOST:PORT for TLS beside the plain one
  std::vector<std::string> resolvers;     // for names that boxes ask for; default: the host's
  std::vector<std::string> open_private;  // private blocks that boxes may reach
  std::vector<std::string> egress_cas;    // PEM files of certificate authorities of origins
  bool accept_no_disk_limit = false;      // boxes on a file system without quotas
};

// Fills `settings` from a YAML file; an unknown key or a value of the wrong kind is an error with
// its line.
Status ReadSettingsFile(const std::string& path, Settings& settings);

// Fills `settings` from the environment, VIV_DATA for `data`. An empty variable counts as unset;
// the items of a list are separated by commas.
Status ReadEnvironment(Settings& settings);

struct Address {
  std::string host;
  std::uint16_t port = 0;
  bool is_loopback() const;
};
Result<Address> ParseAddress(const std::string& text);

std::string DefaultDataFolder();
std::string FindBuiltinApps();  // empty when there are none
std::string FindBuiltinProfiles();

}  // namespace viv::server
