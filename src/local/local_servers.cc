#include "local/local_servers.h"

#include <algorithm>
#include <array>

namespace viv::local {
namespace {

struct ToolsServer {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<ToolsServer, 9> kToolsServers = {{
    {"code-executor", "Runs Python code that it keeps as files"},
    {"code-runner", "Runs a snippet in one of many languages"},
    {"desktop-commander", "Files, search and long-running processes"},
    {"excel", "Reads and writes xlsx workbooks"},
    {"filesystem", "Reads, writes and searches files of the workspace"},
    {"git", "Works on git repositories"},
    {"localmemory", "A graph of entities and relations in a file"},
    {"pdf-tools", "Reads, searches, merges and splits PDF files"},
    {"terminal", "Runs the commands that a policy allows"},
}};

// Those the vendor has beyond the ones above.
constexpr std::array<std::string_view, 7> kVendorsOthers = {
    "arxiv", "canvas", "google_cloud", "playwright", "poste_email_toolathlon", "powerpoint", "word",
};

constexpr std::size_t kServerNameBytesMax = 64;

bool IsByName(const LocalServer& server, std::string_view name) {
  return server.name < name;
}

}  // namespace

bool IsVendorsLocalServer(std::string_view name) {
  return std::find(kVendorsOthers.begin(), kVendorsOthers.end(), name) != kVendorsOthers.end() ||
         std::any_of(kToolsServers.begin(), kToolsServers.end(),
                     [name](const ToolsServer& tools) { return tools.name == name; });
}

std::string NotOfferedText(std::string_view name) {
  return "The local server '" + std::string(name) +
         "' is not offered here yet; the other servers of the sandbox work";
}

bool IsLocalServerName(std::string_view name) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::string_view kAny = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  return !name.empty() && name.size() <= kServerNameBytesMax &&
         kFirst.find(name.front()) != std::string_view::npos &&
         name.find_first_not_of(kAny) == std::string_view::npos;
}

LocalServers::LocalServers() {
  for (const ToolsServer& tools : kToolsServers) {
    LocalServer server;
    server.name = tools.name;
    server.description = tools.description;
    server.command = {std::string(kLocalToolsPath), server.name, "--workspace",
                      std::string(kWorkspace)};
    server.built_in = true;
    Put(std::move(server));
  }
}

Status LocalServers::AddFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<LocalServer> servers, ReadServersFile(path));
  for (LocalServer& server : servers) Put(std::move(server));
  return {};
}

const LocalServer* LocalServers::Find(std::string_view name) const {
  auto place = std::lower_bound(servers_.begin(), servers_.end(), name, IsByName);
  return place != servers_.end() && place->name == name ? &*place : nullptr;
}

std::vector<std::string> LocalServers::All() const {
  std::vector<std::string> names;
  for (const LocalServer& server : servers_) {
    if (server.template_name.empty()) names.push_back(server.name);
  }
  return names;
}

void LocalServers::Put(LocalServer server) {
  auto place = std::lower_bound(servers_.begin(), servers_.end(), server.name, IsByName);
  if (place != servers_.end() && place->name == server.name) {
    *place = std::move(server);
  } else {
    servers_.insert(place, std::move(server));
  }
}

std::vector<std::string> CommandFor(const LocalServer& server, std::string_view benchmark) {
  std::vector<std::string> command = server.command;
  if (server.built_in && !benchmark.empty()) {
    command.emplace_back("--profile");
    command.emplace_back(benchmark);
  }
  return command;
}

}  // namespace viv::local
