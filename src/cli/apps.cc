#include "cli/apps.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/ids.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/print_error.h"
#include "engine/app_loader.h"
#include "engine/case_runner.h"
#include "engine/catalogue.h"
#include "engine/table_listing.h"

namespace viv::cli {
namespace {

namespace fs = std::filesystem;

// A folder of its own for images and world logs, gone when the command ends.
class Scratch {
 public:
  Scratch() : path_(fs::temp_directory_path() / ("viv-apps-" + RandomHex(12))) {
    fs::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

int PrintLoadErrors(const std::vector<engine::Catalogue::LoadError>& load_errors,
                    const std::string& name) {
  int count = 0;
  for (const auto& load_error : load_errors) {
    if (!name.empty() && name != load_error.app) continue;
    fmt::print("{}: does not load\n  {}\n", load_error.app, load_error.message);
    ++count;
  }
  return count;
}

std::size_t ToolCount(const engine::App& app) {
  std::size_t count = 0;
  for (const engine::Profile& profile : app.profiles) count = std::max(count, profile.tools.size());
  return count;
}

// Tools of each profile that no case has called; a profile that shares the default's tools is
// covered by it.
std::vector<std::string> Uncovered(const engine::App& app, const std::set<std::string>& seen) {
  std::vector<std::string> missing;
  const engine::Profile& main = app.profiles.front();
  for (const engine::Profile& profile : app.profiles) {
    if (&profile != &main && profile.tools == main.tools) continue;
    for (const std::string& tool : profile.tools) {
      if (!seen.contains(profile.name + "/" + tool)) missing.push_back(profile.name + "/" + tool);
    }
  }
  return missing;
}

json::object DescribeApp(const engine::App& app) {
  json::array profiles;
  for (const auto& profile : app.profiles)
    profiles.push_back({{"name", profile.name}, {"tools", profile.tools.size()}});
  return {{"name", app.name},
          {"title", app.title},
          {"tools", ToolCount(app)},
          {"profiles", std::move(profiles)}};
}

json::array DescribeTables(const std::vector<engine::ListedTable>& tables) {
  json::array list;
  for (const engine::ListedTable& table : tables) {
    json::array columns;
    for (const engine::ListedColumn& column : table.columns)
      columns.push_back({{"name", column.name},
                         {"type", column.type},
                         {"required", column.required},
                         {"key", column.is_key}});
    list.push_back({{"table", table.name}, {"columns", std::move(columns)}});
  }
  return list;
}

// An app by its name is the folder of that name; a later folder goes before an earlier one.
Result<engine::AppPtr> LoadNamedApp(const AppsOptions& options) {
  const bool plain = options.name.find('/') == std::string::npos && options.name != ".." &&
                     options.name != "." && !options.name.empty();
  for (auto folder = options.folders.rbegin(); plain && folder != options.folders.rend();
       ++folder) {
    std::error_code error;
    const std::string path = *folder + "/" + options.name;
    if (fs::exists(path + "/app.yaml", error)) return engine::LoadApp(path);
  }
  return Fail(ErrorCode::kNotFound,
              "there is no app named '" + options.name + "'; `viv apps ls` lists the apps");
}

void PrintList(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  fmt::print("  {}:", title);
  for (const std::string& name : names) fmt::print(" {}", name);
  fmt::print("\n");
}

}  // namespace

int ListApps(const AppsOptions& options) {
  Scratch scratch;
  engine::Catalogue catalogue({options.folders, scratch.path()});
  auto load_errors = catalogue.Refresh();
  if (options.json) {
    json::array list;
    for (const auto& loaded : catalogue.List()) list.push_back(DescribeApp(*loaded->app));
    PrintJson(list);
    return load_errors.empty() ? 0 : 1;
  }
  fmt::print("{:<18} {:<24} {:>5}  {}\n", "APP", "TITLE", "TOOLS", "PROFILES");
  for (const auto& loaded : catalogue.List()) {
    std::string profiles;
    for (const auto& profile : loaded->app->profiles)
      profiles += (profiles.empty() ? "" : ", ") + profile.name;
    fmt::print("{:<18} {:<24} {:>5}  {}\n", loaded->app->name, loaded->app->title,
               ToolCount(*loaded->app), profiles);
  }
  return PrintLoadErrors(load_errors, "") == 0 ? 0 : 1;
}

int ShowSchema(const AppsOptions& options) {
  auto app = LoadNamedApp(options);
  if (!app) return PrintError(app.error());
  auto tables = engine::ListTables(**app);
  if (!tables) return PrintError(tables.error());
  if (options.json) return PrintJson(DescribeTables(*tables));
  for (const engine::ListedTable& table : *tables) {
    fmt::print("{}\n", table.name);
    for (const engine::ListedColumn& column : table.columns)
      fmt::print("  {:<28} {:<10}{}{}\n", column.name, column.type, column.is_key ? " key" : "",
                 column.required ? " required" : "");
  }
  return 0;
}

int TestApps(const AppsOptions& options) {
  Scratch scratch;
  engine::Catalogue catalogue({options.folders, scratch.path()});
  int failed = PrintLoadErrors(catalogue.Refresh(), options.name);
  int passed = 0;
  bool found = failed > 0;
  for (const auto& loaded : catalogue.List()) {
    const engine::App& app = *loaded->app;
    if (!options.name.empty() && options.name != app.name) continue;
    found = true;
    engine::CaseReport report = engine::RunCases(loaded, scratch.path(), options.only);
    passed += report.passed;
    failed += static_cast<int>(report.failures.size());
    fmt::print("{}: {} passed, {} failed\n", app.name, report.passed, report.failures.size());
    for (const auto& failure : report.failures) {
      fmt::print("  {}:{}: {}\n    {}\n", failure.file, failure.line, failure.test,
                 failure.message);
    }
    if (!options.coverage || !options.only.empty()) continue;
    std::vector<std::string> untested = Uncovered(app, report.succeeded);
    failed += static_cast<int>(untested.size());
    PrintList("tools without a case that succeeds", untested);
    PrintList("tools without a case that fails", Uncovered(app, report.failed_as_expected));
  }
  if (!found) {
    fmt::print("there is no app named '{}'; `viv apps ls` lists the apps\n", options.name);
    return 1;
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace viv::cli
