#pragma once
// viv apps ls|schema|test: lists the apps, shows the tables of their worlds, and runs their tests.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace viv::cli {

struct AppsOptions {
  std::vector<std::string> folders;  // each holds app folders
  std::string name;                  // empty: all
  std::string only;                  // test: files whose name contains this
  bool coverage = true;              // test: a tool without a case counts as a failure
  bool json = false;                 // ls, schema: for programs
};

int ListApps(const AppsOptions& options);
int TestApps(const AppsOptions& options);
int ShowSchema(const AppsOptions& options);

// How the subcommands learn where apps are: `add_flags` gives a command the flags, `folders` is
// asked when it runs.
struct AppFolderSource {
  std::function<void(CLI::App&)> add_flags;
  std::function<std::vector<std::string>()> folders;
};
// The result is what the subcommands read their options into; it outlives the parsing.
std::shared_ptr<AppsOptions> AddAppCommands(CLI::App& app,
                                            const AppFolderSource& source,
                                            int& code);

}  // namespace viv::cli
