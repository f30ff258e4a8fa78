#include <functional>

#include <CLI/CLI.hpp>

#include "cli/box_commands.h"
#include "cli/keys.h"

namespace viv::cli {

struct KeyCommandOptions {
  NewKey fresh;
  std::string id;
};

std::shared_ptr<KeyCommandOptions> AddKeyCommands(CLI::App& app, Remote& remote, int& code) {
  auto o = std::make_shared<KeyCommandOptions>();
  CLI::App* group = app.add_subcommand("key", "Create, list, rotate and revoke keys");
  group->footer(
      "\nExamples:\n  viv key create --name ci\n  viv key ls\n  viv key rotate\n  viv key revoke "
      "ID");
  auto add = [&](const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = group->add_subcommand(name, about);
    AddRemoteOptions(*command, remote);
    command->callback([&code, run = std::move(run)] { code = run(); });
    return command;
  };
  CLI::App* create = add("create", "Create a key and print it; it is shown only once",
                         [&remote, o] { return CreateKey(remote, o->fresh); });
  create->add_option("--name", o->fresh.name, "Name of the key");
  create->add_option("--account", o->fresh.account,
                     "Account that gets the key, by name or id; needs the server's own key");
  create->footer(
      "\nExamples:\n  viv key create --name ci\n  viv key create --account alice --name laptop");

  CLI::App* ls = add("ls", "List the keys of the account", [&remote] { return ListKeys(remote); });
  ls->alias("list");
  AddJsonFlag(*ls, remote);
  ls->footer("\nExample:\n  viv key ls");

  CLI::App* rotate = add("rotate", "Replace a key by a new one and print it; it is shown only once",
                         [&remote, o] { return RotateKey(remote, o->id); });
  rotate->add_option("id", o->id, "Id of the key; default: the key that this command uses");
  rotate->footer("\nExample:\n  viv key rotate   # the server's own key is new in DATA/key, too");

  CLI::App* revoke =
      add("revoke", "Revoke a key; the last valid key of an account cannot be revoked",
          [&remote, o] { return RevokeKey(remote, o->id); });
  revoke->add_option("id", o->id, "The key's id, from `viv key ls`")->required();
  revoke->footer("\nExample:\n  viv key revoke 0f8fad5b-d9cb-469f-a165-70867728950e");
  return o;
}

}  // namespace viv::cli
