#include "cli/box_commands.h"

#include <CLI/CLI.hpp>

#include "cli/box_session.h"
#include "cli/boxes.h"
#include "cli/cert.h"
#include "cli/copy.h"
#include "cli/egress_log.h"
#include "cli/remote.h"
#include "cli/secrets.h"
#include "cli/templates.h"

namespace viv::cli {

// Shared with the callbacks that CLI11 keeps.
struct BoxCommandOptions {
  NewBox box;
  std::string id;
  std::vector<std::string> ids;
  std::string name;
  bool drop_memory = false;
  std::size_t count = 1;
  std::int64_t timeout_seconds = 3600;
  ExecOptions exec;
  std::string from;
  std::string to;
  TemplateSource source;
  CertOptions cert;
  bool egress = false;
  EgressLogOptions egress_log;
  NewSecret secret;
  std::vector<std::string> names;
};

namespace {

using Options = std::shared_ptr<BoxCommandOptions>;

struct Adder {
  CLI::App& app;
  Remote& remote;
  int& code;
  Options options;

  // A subcommand that talks to a server and ends with what `run` gives.
  CLI::App* Add(CLI::App& parent, const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = parent.add_subcommand(name, about);
    AddRemoteOptions(*command, remote);
    command->callback([this_code = &code, run = std::move(run)] { *this_code = run(); });
    return command;
  }
  CLI::App* AddWithId(const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = Add(app, name, about, std::move(run));
    command->add_option("id", options->id, "The box")->required();
    return command;
  }
};

void AddNewBoxOptions(CLI::App& command, NewBox& box) {
  command.add_option("--from", box.from, "A template or snapshot")->capture_default_str();
  command.add_option("--timeout", box.timeout_seconds, "Seconds until the box ends")
      ->capture_default_str();
  command.add_flag("--pause-at-end", box.pause_at_end,
                   "Pause the box at its timeout instead of ending it");
  command.add_flag("--offline", box.offline, "Give the box no network access");
  command.add_option("--env", box.variables,
                     "Environment variable NAME=VALUE for every process; may be repeated");
}

void AddLifecycleCommands(Adder& add) {
  Remote& remote = add.remote;
  Options o = add.options;
  CLI::App* create = add.Add(add.app, "create", "Create a box and print its id",
                             [&remote, o] { return CreateBox(remote, o->box); });
  AddNewBoxOptions(*create, o->box);
  create->footer(
      "\nExamples:\n  viv create\n  viv create --from my-snapshot --timeout 600\n  BOX=$(viv "
      "create "
      "--env TOKEN=abc)");

  CLI::App* rm = add.Add(add.app, "rm", "Remove boxes and their files",
                         [&remote, o] { return RemoveBoxes(remote, o->ids); });
  rm->add_option("ids", o->ids, "The boxes")->required();
  rm->footer("\nExample:\n  viv rm $BOX");

  CLI::App* pause =
      add.AddWithId("pause", "Freeze a box; its processes continue when it is resumed",
                    [&remote, o] { return PauseBox(remote, o->id, o->drop_memory); });
  pause->add_flag("--drop-memory", o->drop_memory, "End its processes and keep only its files");
  pause->footer("\nExample:\n  viv pause $BOX");

  CLI::App* resume = add.AddWithId("resume", "Resume a paused box", [&remote, o] {
    return ResumeBox(remote, o->id, o->timeout_seconds);
  });
  resume->add_option("--timeout", o->timeout_seconds, "Seconds until the box ends")
      ->capture_default_str();
  resume->footer("\nExample:\n  viv resume $BOX");

  CLI::App* snapshot = add.AddWithId(
      "snapshot", "Store the files of a box as a snapshot, from which boxes can start",
      [&remote, o] { return SnapshotBox(remote, o->id, o->name); });
  snapshot->add_option("--name", o->name, "Name of the snapshot");
  snapshot->footer("\nExample:\n  viv snapshot $BOX --name ready && viv create --from ready");

  CLI::App* fork = add.AddWithId("fork", "Create copies of a box", [&remote, o] {
    return ForkBox(remote, o->id, o->count, o->timeout_seconds);
  });
  fork->add_option("--count", o->count, "Number of copies")->capture_default_str();
  fork->add_option("--timeout", o->timeout_seconds, "Seconds until the copies end")
      ->capture_default_str();
  fork->footer("\nExample:\n  viv fork $BOX --count 3");
}

void AddLogs(Adder& add) {
  Remote& remote = add.remote;
  Options o = add.options;
  CLI::App* logs = add.AddWithId("logs", "Show the log of a box", [&remote, o] {
    return o->egress ? ShowEgressLog(remote, o->id, o->egress_log) : ShowBoxLogs(remote, o->id);
  });
  CLI::Option* egress = logs->add_flag(
      "--egress", o->egress,
      "Show its connections and requests instead, allowed and refused, with the reason");
  logs->add_option("--limit", o->egress_log.limit, "Number of the newest records")
      ->check(CLI::Range(1, 1000))
      ->needs(egress)
      ->capture_default_str();
  logs->add_flag_callback(
      "--json", [&remote, o] { remote.json = o->egress_log.json = true; },
      "Print one line of JSON for each record");
  logs->footer(
      "\nExamples:\n  viv logs $BOX\n  viv logs --egress $BOX\n  viv logs --egress --limit 1000 "
      "--json $BOX | jq 'select(.verdict == \"refused\")'");
}

void AddUseCommands(Adder& add) {
  Remote& remote = add.remote;
  Options o = add.options;
  CLI::App* exec =
      add.AddWithId("exec", "Run a command in a box, with its input, output and exit code",
                    [&remote, o] { return Exec(remote, o->id, o->exec); });
  exec->add_option("command", o->exec.command, "The command and its arguments")->required();
  exec->add_option("--user", o->exec.user,
                   "User that runs the command; default: the template's user");
  exec->add_option("--cwd", o->exec.cwd, "Working directory; default: the user's home");
  exec->add_option("--env", o->exec.variables, "Environment variable NAME=VALUE; may be repeated");
  exec->positionals_at_end();
  exec->footer(
      "\nExamples (options stand before the box):\n  viv exec $BOX -- ls -la\n  viv exec --user "
      "root $BOX apt-get install -y jq\n  echo 'print(6*7)' | viv exec $BOX python3");

  CLI::App* shell =
      add.Add(add.app, "shell", "Open a terminal in a box; without an id, in a new one",
              [&remote, o] { return Shell(remote, o->id, o->box, o->exec); });
  shell->add_option("id", o->id, "The box");
  shell->add_option("--user", o->exec.user,
                    "User that runs the command; default: the template's user");
  AddNewBoxOptions(*shell, o->box);
  shell->footer("\nExamples:\n  viv shell\n  viv shell $BOX --user root");

  CLI::App* cp = add.Add(add.app, "cp", "Copy files or folders into a box or out of it",
                         [&remote, o] { return Copy(remote, o->from, o->to); });
  cp->add_option("from", o->from, "PATH, or ID:PATH")->required();
  cp->add_option("to", o->to, "ID:PATH, or PATH")->required();
  cp->footer("\nExamples:\n  viv cp data.csv $BOX:/home/user/\n  viv cp $BOX:/home/user/out ./out");

  AddLogs(add);

  CLI::App* stats = add.Add(add.app, "stats", "Show the CPU, memory and disk use of boxes",
                            [&remote, o] { return ShowBoxStats(remote, o->ids); });
  stats->add_option("ids", o->ids, "The boxes")->required();
  AddJsonFlag(*stats, remote);
  stats->footer("\nExample:\n  viv stats $BOX");
}

void AddTemplates(Adder& add) {
  Remote& remote = add.remote;
  Options o = add.options;
  CLI::App* templates = add.app.add_subcommand("template", "List, build and remove templates");
  templates->footer("\nExamples:\n  viv template ls\n  viv template build deb --from debian");
  CLI::App* ls = add.Add(*templates, "ls", "List what boxes can start from",
                         [&remote] { return ListTemplates(remote); });
  AddJsonFlag(*ls, remote);
  ls->footer("\nExample:\n  viv template ls");
  CLI::App* build = add.Add(*templates, "build", "Build a template",
                            [&remote, o] { return BuildTemplate(remote, o->source); });
  build->add_option("name", o->source.name, "Name of the template")->required();
  build->add_option("--from", o->source.from, "debian, oci-archive FILE or oci-layout FOLDER")
      ->required()
      ->expected(1, 2);
  build->add_option("--package", o->source.packages, "Additional Debian package; may be repeated");
  build->add_option("--suite", o->source.suite, "The Debian release; default: bookworm");
  build->add_option("--mirror", o->source.mirror,
                    "URL of the Debian mirror; default: that of this machine");
  build->footer(
      "\nExamples:\n  viv template build deb --from debian --package jq\n  viv template build app "
      "--from oci-archive app.tar");
  CLI::App* rm = add.Add(*templates, "rm", "Remove a template",
                         [&remote, o] { return RemoveTemplate(remote, o->name); });
  rm->add_option("name", o->name, "Its name")->required();
  rm->footer("\nExample:\n  viv template rm deb");
}

void AddSecrets(Adder& add) {
  Remote& remote = add.remote;
  Options o = add.options;
  CLI::App* secrets =
      add.app.add_subcommand("secret", "Store secrets that the gateway adds to requests of boxes");
  secrets->footer(
      "\nBoxes never see a value: rules refer to it by ${e2b.secrets.NAME} or "
      "{NAME}.\n\nExamples:\n  "
      "viv secret set github_token\n  viv secret ls\n  viv secret rm github_token");
  CLI::App* set = add.Add(*secrets, "set", "Create a secret, or give it a new value",
                          [&remote, o] { return SetSecret(remote, o->secret); });
  set->add_option("name", o->secret.name, "Letters, digits, '_' and '-'")->required();
  set->add_option("--value", o->secret.value,
                  "Its value, which others on this machine can see in the list of processes; "
                  "default: standard input, not shown when typed");
  set->footer(
      "\nExamples:\n  viv secret set github_token\n  viv secret set tls_key < key.pem\n  pass show "
      "github | viv secret set github_token");
  CLI::App* ls = add.Add(*secrets, "ls", "List the names of the secrets, without their values",
                         [&remote] { return ListSecrets(remote); });
  AddJsonFlag(*ls, remote);
  ls->footer("\nExample:\n  viv secret ls");
  CLI::App* rm = add.Add(*secrets, "rm", "Remove secrets; requests that need them will fail",
                         [&remote, o] { return RemoveSecrets(remote, o->names); });
  rm->add_option("names", o->names, "Their names")->required();
  rm->footer("\nExample:\n  viv secret rm github_token");
}

void AddCert(Adder& add) {
  Options o = add.options;
  Remote& remote = add.remote;
  CLI::App* cert = add.app.add_subcommand(
      "cert", "Create a certificate for DOMAIN and *.DOMAIN, for ports of boxes over TLS");
  cert->add_option("domain", o->cert.domain, "Such as box.test")->required();
  cert->add_option("--folder", o->cert.folder, "Folder for the files; default: DATA/tls");
  cert->footer("\nExample:\n  viv cert box.test");
  cert->callback([&remote, o, code = &add.code] {
    if (o->cert.folder.empty()) o->cert.folder = remote.data + "/tls";
    *code = MakeCertificate(o->cert);
  });
}

}  // namespace

std::shared_ptr<BoxCommandOptions> AddBoxCommands(CLI::App& app, Remote& remote, int& code) {
  Adder add{app, remote, code, std::make_shared<BoxCommandOptions>()};
  AddLifecycleCommands(add);
  AddUseCommands(add);
  AddTemplates(add);
  AddSecrets(add);
  AddCert(add);
  return add.options;
}

void AddRemoteOptions(CLI::App& command, Remote& remote) {
  // The environment and vivarium.yaml are in `remote` already: CLI11 reads the variables of every
  // subcommand, used or not, and what it finds there would come after the flag that was given.
  command.add_option("--url", remote.url, "URL of the server [VIV_URL]")->capture_default_str();
  command.add_option("--key", remote.key, "Your key; default: DATA/key [VIV_API_KEY]");
  command.add_option("--data", remote.data, "The server's data folder [VIV_DATA]")
      ->capture_default_str();
}

void AddJsonFlag(CLI::App& command, Remote& remote) {
  command.add_flag("--json", remote.json, "Print JSON, for programs");
}

}  // namespace viv::cli
