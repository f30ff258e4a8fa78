#pragma once
// The subcommands about boxes, templates and secrets, as the command line knows them.

#include <memory>

namespace CLI {
class App;
}

namespace viv::cli {

struct Remote;

// What the subcommands read their options into; outlives the parsing.
struct BoxCommandOptions;
std::shared_ptr<BoxCommandOptions> AddBoxCommands(CLI::App& app, Remote& remote, int& code);

// --url, --key and --data, for every command that talks to a server.
void AddRemoteOptions(CLI::App& command, Remote& remote);
// --json, for every command that lists or shows something.
void AddJsonFlag(CLI::App& command, Remote& remote);

}  // namespace viv::cli
