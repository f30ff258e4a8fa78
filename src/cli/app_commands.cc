#include <functional>

#include <CLI/CLI.hpp>

#include "cli/apps.h"

namespace viv::cli {

std::shared_ptr<AppsOptions> AddAppCommands(CLI::App& app,
                                            const AppFolderSource& source,
                                            int& code) {
  auto o = std::make_shared<AppsOptions>();
  CLI::App* group = app.add_subcommand("apps", "List apps, show their tables, test them");
  group->footer(
      "\nExamples:\n  viv apps ls\n  viv apps schema slack\n  viv apps test slack\n  viv apps test "
      "--apps ./my-apps tickets");
  auto add = [&](const char* name, const char* about, int (*run)(const AppsOptions&)) {
    CLI::App* command = group->add_subcommand(name, about);
    source.add_flags(*command);
    command->callback([&code, o, run, folders = source.folders] {
      o->folders = folders();
      code = run(*o);
    });
    return command;
  };
  CLI::App* ls = add("ls", "List the apps there are", ListApps);
  ls->add_flag("--json", o->json, "Print JSON, for programs");
  ls->footer("\nExample:\n  viv apps ls --apps ./my-apps");
  CLI::App* schema =
      add("schema", "Show the tables of an app's worlds and their columns", ShowSchema);
  schema->add_option("name", o->name, "The app")->required();
  schema->add_flag("--json", o->json, "Print JSON, for programs");
  schema->footer("\nExample:\n  viv apps schema slack");
  CLI::App* test = add("test", "Load an app and run its .case files", TestApps);
  test->add_option("name", o->name, "The app; default: all apps");
  test->add_option("--only", o->only, "Run only files whose name contains this text");
  test->footer("\nExamples:\n  viv apps test\n  viv apps test slack --only messages");
  return o;
}

}  // namespace viv::cli
