#pragma once
// viv key create|ls|rotate|revoke

#include <memory>
#include <string>

#include "cli/remote.h"

namespace CLI {
class App;
}

namespace viv::cli {

struct NewKey {
  std::string name;
  std::string account;  // by name or id; empty: the one whose key is used
};
int CreateKey(const Remote& remote, const NewKey& key);
int ListKeys(const Remote& remote);
int RevokeKey(const Remote& remote, const std::string& id);
// A new key in place of the one with this id; empty: of the one that is used. The server writes its
// own one, that of DATA/key, into the file.
int RotateKey(const Remote& remote, const std::string& id);

// What the subcommands read their options into; outlives the parsing.
struct KeyCommandOptions;
std::shared_ptr<KeyCommandOptions> AddKeyCommands(CLI::App& app, Remote& remote, int& code);

}  // namespace viv::cli
