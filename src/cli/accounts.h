#pragma once
// viv org create|ls|add and viv account create|ls|add: who may use the server. They need the
// server's own key.

#include <memory>
#include <string>

#include "cli/remote.h"

namespace CLI {
class App;
}

namespace viv::cli {

int CreateOrganization(const Remote& remote, const std::string& name);
int ListOrganizations(const Remote& remote);

int CreateAccount(const Remote& remote, const std::string& name, const std::string& organization);
int ListAccounts(const Remote& remote);
int MoveAccount(const Remote& remote, const std::string& account, const std::string& organization);

// What the subcommands read their options into; outlives the parsing.
struct AccountCommandOptions;
std::shared_ptr<AccountCommandOptions> AddAccountCommands(CLI::App& app, Remote& remote, int& code);

}  // namespace viv::cli
