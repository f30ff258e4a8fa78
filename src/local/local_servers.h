#pragma once
// The MCP servers that a local sandbox can be acquired with: those of viv-tools, and any stdio
// server that the operator names in servers.yaml. One is a program inside the box, which the box's
// agent starts on first use. Immutable once the server runs.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::local {

inline constexpr std::string_view kWorkspace = "/data";  // shared by all servers of a box
inline constexpr std::string_view kLocalToolsPath = "/opt/vivarium/viv-tools";

struct LocalServer {
  std::string name;  // "filesystem"; part of URLs
  std::string description;
  std::vector<std::string> command;  // a program of the box and its arguments
  std::map<std::string, std::string> variables;
  std::string template_name;         // what the box is made from; empty: the usual template
  std::int64_t idle_seconds = 1800;  // it is stopped after this time without a call
  std::int64_t start_seconds = 30;   // how long it may take to answer the first message
  bool built_in = false;             // of viv-tools: it also gets the sandbox's profile

  bool operator==(const LocalServer&) const = default;
};

// Whether the vendor has a local server of this name, available here or not.
bool IsVendorsLocalServer(std::string_view name);
// What a client is told of one that is not on offer.
std::string NotOfferedText(std::string_view name);

// Lower-case letters, digits, '-' and '_', 64 at most, a letter or digit first.
bool IsLocalServerName(std::string_view name);

class LocalServers {
 public:
  LocalServers();  // those of viv-tools

  // Those of servers.yaml; one with the name of a built-in one takes its place. The error names
  // file and line.
  Status AddFile(const std::string& path);

  const LocalServer* Find(std::string_view name) const;  // nullptr: there is none
  const std::vector<LocalServer>& List() const { return servers_; }
  // What "ALL" stands for: every server that runs in a box of the usual template.
  std::vector<std::string> All() const;

 private:
  void Put(LocalServer server);

  std::vector<LocalServer> servers_;  // by name
};

// servers.yaml: {servers: {NAME: {command, args, env, template, idle_seconds, start_seconds,
// description}}}.
Result<std::vector<LocalServer>> ReadServersFile(const std::string& path);

// The program to start for a sandbox of `benchmark`.
std::vector<std::string> CommandFor(const LocalServer& server, std::string_view benchmark);

}  // namespace viv::local
