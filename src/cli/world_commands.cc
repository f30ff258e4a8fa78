#include <functional>

#include <CLI/CLI.hpp>

#include "cli/box_commands.h"
#include "cli/list.h"
#include "cli/worlds.h"

namespace viv::cli {

// Shared with the callbacks that CLI11 keeps.
struct WorldCommandOptions {
  NewWorld fresh;
  WorldCall call;
  WorldClock clock;
  std::string id;
  std::vector<std::string> ids;
  std::string file;
  std::string app;
  std::size_t limit = 100;
};

namespace {

using WorldOptions = std::shared_ptr<WorldCommandOptions>;

struct WorldAdder {
  CLI::App& group;
  Remote& remote;
  int& code;
  WorldOptions options;

  CLI::App* Add(const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = group.add_subcommand(name, about);
    AddRemoteOptions(*command, remote);
    command->callback([this_code = &code, run = std::move(run)] { *this_code = run(); });
    return command;
  }
  CLI::App* AddWithId(const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = Add(name, about, std::move(run));
    command->add_option("id", options->id, "The world: its sandbox's id")->required();
    return command;
  }
};

void AddWorldLifecycleCommands(WorldAdder& add) {
  Remote& remote = add.remote;
  WorldOptions o = add.options;
  CLI::App* acquire = add.Add("acquire", "Acquire a world of an app and print its id",
                              [&remote, o] { return AcquireWorld(remote, o->fresh); });
  acquire->add_option("app", o->fresh.app, "Such as slack; `viv apps ls` lists them")->required();
  acquire->add_option("--benchmark", o->fresh.benchmark, "MCP_Atlas, Toolathlon or MCP_Mark");
  acquire->add_option("--ttl", o->fresh.ttl_seconds,
                      "Seconds until it is released automatically; default: 7200, 0: never");
  AddJsonFlag(*acquire, remote);
  acquire->footer("\nExample:\n  WORLD=$(viv world acquire slack)");

  CLI::App* ls = add.Add("ls", "List your worlds", [&remote, o] {
    return ListWorlds(remote, {o->app, o->limit});
  });
  ls->add_option("--server", o->app, "Only worlds of this app");
  ls->add_option("--limit", o->limit, "Largest number of entries")->capture_default_str();
  AddJsonFlag(*ls, remote);
  ls->footer("\nExample:\n  viv world ls --server slack");

  CLI::App* show = add.AddWithId("show", "Show a world and the URL of its MCP server",
                                 [&remote, o] { return ShowWorld(remote, o->id); });
  AddJsonFlag(*show, remote);
  show->footer("\nExample:\n  viv world show $WORLD");

  CLI::App* reset = add.AddWithId("reset", "Reset a world to its initial state",
                                  [&remote, o] { return ResetWorld(remote, o->id); });
  reset->footer("\nExample:\n  viv world reset $WORLD");
  CLI::App* release = add.Add("release", "Release worlds; their state is lost",
                              [&remote, o] { return ReleaseWorlds(remote, o->ids); });
  release->add_option("ids", o->ids, "The worlds")->required();
  release->footer("\nExample:\n  viv world release $WORLD");
  CLI::App* fork =
      add.AddWithId("fork", "Create a second world with the same state and print its id",
                    [&remote, o] { return ForkWorld(remote, o->id); });
  AddJsonFlag(*fork, remote);
  fork->footer("\nExample:\n  COPY=$(viv world fork $WORLD)");
}

void AddWorldUseCommands(WorldAdder& add) {
  Remote& remote = add.remote;
  WorldOptions o = add.options;
  CLI::App* tools = add.AddWithId("tools", "List the tools of a world",
                                  [&remote, o] { return ListWorldTools(remote, o->id); });
  AddJsonFlag(*tools, remote);
  tools->footer("\nExample:\n  viv world tools $WORLD");
  CLI::App* call = add.AddWithId("call", "Call a tool as an agent would",
                                 [&remote, o] { return CallWorld(remote, o->id, o->call); });
  call->add_option("tool", o->call.tool, "The tool's name")->required();
  call->add_option("arguments", o->call.arguments, "A JSON object; -: standard input");
  AddJsonFlag(*call, remote);
  call->footer(
      "\nExample:\n  viv world call $WORLD slack_user_search_messages '{\"query\": "
      "\"firmware\"}'");
  CLI::App* diff = add.AddWithId("diff", "Show the rows that changed since its initial state",
                                 [&remote, o] { return DiffWorld(remote, o->id); });
  AddJsonFlag(*diff, remote);
  diff->footer("\nExample:\n  viv world diff $WORLD");
  CLI::App* verify = add.AddWithId(
      "verify", "Compare a world with expectations; exits with 1 if one of them fails",
      [&remote, o] { return VerifyWorld(remote, o->id, o->file); });
  verify->add_option("file", o->file, "The expectations in JSON; -: standard input")->required();
  AddJsonFlag(*verify, remote);
  verify->footer(
      "\nExample:\n  echo '[{\"diff\": {\"table\": \"message\", \"inserted\": 1}}]' | viv world "
      "verify $WORLD -");
}

void AddWorldState(WorldAdder& add) {
  Remote& remote = add.remote;
  WorldOptions o = add.options;
  CLI::App* dump = add.AddWithId("dump", "Print the whole state as a JSON document",
                                 [&remote, o] { return DumpWorld(remote, o->id); });
  dump->footer("\nExample:\n  viv world dump $WORLD > state.json");
  CLI::App* load = add.AddWithId("load", "Replace the state by that of a document",
                                 [&remote, o] { return LoadWorld(remote, o->id, o->file); });
  load->add_option("file", o->file, "The document; -: standard input")->required();
  AddJsonFlag(*load, remote);
  load->footer("\nExample:\n  viv world load $WORLD state.json");
  CLI::App* clock = add.AddWithId("clock", "Show or set the clock of a world",
                                  [&remote, o] { return SetWorldClock(remote, o->id, o->clock); });
  CLI::Option* mode = clock
                          ->add_option("--mode", o->clock.mode,
                                       "tick: each change advances it; frozen: it does not "
                                       "advance; real: the time of this machine")
                          ->type_name("{tick,frozen,real}");
  clock
      ->add_option("--now", o->clock.now, "Time of the world's clock, such as 2025-06-02T09:00:00Z")
      ->needs(mode);
  AddJsonFlag(*clock, remote);
  clock->footer("\nExample:\n  viv world clock $WORLD --mode frozen --now 2025-06-02T09:00:00Z");
  CLI::App* faults =
      add.AddWithId("faults", "Show or set the faults that are injected into its tools",
                    [&remote, o] { return SetWorldFaults(remote, o->id, o->file); });
  faults->add_option("file", o->file, "A JSON document; -: standard input");
  faults->footer(
      "\nExample:\n  echo '{\"faults\": [{\"tool\": \"*\", \"latency_ms\": 300}]}' | viv world "
      "faults $WORLD -");
}

}  // namespace

std::shared_ptr<WorldCommandOptions> AddWorldCommands(CLI::App& app, Remote& remote, int& code) {
  CLI::App* group =
      app.add_subcommand("world", "Simulated applications: acquire, call, diff, verify");
  group->footer(
      "\nExamples:\n  WORLD=$(viv world acquire slack)\n  viv world call $WORLD "
      "slack_user_post_message '{\"channel_id\": \"C01GENERAL\", \"text\": \"Hello\"}'\n  viv "
      "world "
      "diff $WORLD\n  viv world release $WORLD");
  WorldAdder add{*group, remote, code, std::make_shared<WorldCommandOptions>()};
  AddWorldLifecycleCommands(add);
  AddWorldUseCommands(add);
  AddWorldState(add);
  return add.options;
}

}  // namespace viv::cli
