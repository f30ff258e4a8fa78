#pragma once
// viv world …: simulated applications from the command line, through the same public API that
// everybody uses. A world is given by its sandbox's id.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/remote.h"

namespace CLI {
class App;
}

namespace viv::cli {

struct NewWorld {
  std::string app;
  std::string benchmark;
  std::optional<std::int64_t> ttl_seconds;
};
int AcquireWorld(const Remote& remote, const NewWorld& options);  // prints its id
int ShowWorld(const Remote& remote, const std::string& id);
int ListWorldTools(const Remote& remote, const std::string& id);

struct WorldCall {
  std::string tool;
  std::string arguments;  // a JSON object; "-": standard input
};
int CallWorld(const Remote& remote, const std::string& id, const WorldCall& call);

int DiffWorld(const Remote& remote, const std::string& id);
// `file` holds the expectations; "-": standard input. Ends with 1 when one does not hold.
int VerifyWorld(const Remote& remote, const std::string& id, const std::string& file);
int ResetWorld(const Remote& remote, const std::string& id);
int ReleaseWorlds(const Remote& remote, const std::vector<std::string>& ids);
int ForkWorld(const Remote& remote, const std::string& id);  // prints the copy's id
int DumpWorld(const Remote& remote, const std::string& id);
int LoadWorld(const Remote& remote, const std::string& id, const std::string& file);

struct WorldClock {
  std::string mode;  // empty: only shown
  std::string now;   // RFC 3339; empty: as it is
};
int SetWorldClock(const Remote& remote, const std::string& id, const WorldClock& clock);
int SetWorldFaults(const Remote& remote, const std::string& id, const std::string& file);

// What the subcommands read their options into; outlives the parsing.
struct WorldCommandOptions;
std::shared_ptr<WorldCommandOptions> AddWorldCommands(CLI::App& app, Remote& remote, int& code);

}  // namespace viv::cli
