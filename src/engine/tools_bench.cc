// How long each tool of each app takes on its default seed: every call of the .case files, as it
// stands and with the largest page that its schema allows, each several times in a copy of the
// world; prints the slowest call of each tool, slowest tool first, in milliseconds of processor.
//
// usage: engine_bench [APPS_FOLDER [APP [MS [ANSWERS]]]]
//   MS: quicker tools are left out (default 1)
//   ANSWERS: a file for every answer, to be compared with those of another version of the app

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/case_runner.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

constexpr int kRepeats = 7;
constexpr double kGoalMs = 5;
constexpr std::int64_t kPageMax = 250;  // where a schema sets no maximum

double ProcessorMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Slowest {
  double ms = 0;
  std::size_t bytes = 0;
  std::string arguments;
};

bool IsPageSize(std::string_view name) {
  static constexpr std::string_view kNames[] = {"limit",      "per_page",    "perPage",
                                                "maxResults", "max_results", "page_size",
                                                "pageSize",   "first",       "num_results"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// The arguments with every page size at its maximum.
json::object WithLargestPage(const Tool& tool, json::object arguments) {
  const json::value* properties = tool.input_schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return arguments;
  for (const auto& property : properties->get_object()) {
    if (!IsPageSize(property.key())) continue;
    const json::value* type = Find(property.value(), "type");
    const json::value* maximum = Find(property.value(), "maximum");
    json::value most = maximum == nullptr ? json::value(kPageMax) : *maximum;
    if (type != nullptr && *type == "string") most = std::to_string(kPageMax);
    arguments[property.key()] = most;
  }
  return arguments;
}

class ToolTimes {
 public:
  ToolTimes(LoadedAppPtr loaded, std::string scratch, std::ostream* answers)
      : loaded_(std::move(loaded)), scratch_(std::move(scratch)), answers_(answers) {}

  void Measure(const World& world, const std::string& tool, const json::object& arguments) {
    const Tool* found = loaded_->app->tool(world.profile(), tool);
    if (found == nullptr) return;
    MeasureOne(world, *found, arguments);
    json::object largest = WithLargestPage(*found, arguments);
    if (json::value(largest) != json::value(arguments)) MeasureOne(world, *found, largest);
  }

  const std::map<std::string, Slowest>& slowest() const { return slowest_; }

 private:
  void MeasureOne(const World& world, const Tool& tool, const json::object& arguments) {
    std::vector<double> times;
    std::size_t bytes = 0;
    for (int i = 0; i < kRepeats; ++i) {
      World copy(loaded_, world.profile().name, scratch_ + "/" + RandomUuid());
      if (!copy.CopyFrom(world)) return;
      double began = ProcessorMs();
      auto answer = copy.Call(tool.name, arguments, 0);
      times.push_back(ProcessorMs() - began);
      (void)copy.Remove();
      if (answers_ != nullptr && answer && i == 0) {
        *answers_ << world.profile().name << "/" << tool.name << " " << json::serialize(arguments)
                  << "\n"
                  << answer->text << "\n";
      }
      if (!answer || answer->is_error) return;
      bytes = answer->text.size();
      if (i == 2 && times[1] < 0.5 && times[2] < 0.5) break;  // quick ones need no more
    }
    std::sort(times.begin(), times.end());
    double p50 = times[times.size() / 2];
    Slowest& slowest = slowest_[world.profile().name + "/" + tool.name];
    if (p50 > slowest.ms) slowest = {p50, bytes, json::serialize(arguments)};
  }

  LoadedAppPtr loaded_;
  std::string scratch_;
  std::ostream* answers_;                   // nullptr: nobody wants them
  std::map<std::string, Slowest> slowest_;  // by profile/tool
};

int Run(const std::string& folder,
        const std::string& app,
        double least_ms,
        const std::string& answers_file) {
  std::ofstream answers(answers_file);
  std::filesystem::path scratch =
      std::filesystem::temp_directory_path() / ("viv-tools-bench-" + RandomHex(12));
  std::filesystem::create_directories(scratch);
  int over = 0;
  {
    Catalogue catalogue({{folder}, scratch.string()});
    for (const auto& load_error : catalogue.Refresh()) fmt::print("{}\n", load_error.message);
    for (const LoadedAppPtr& loaded : catalogue.List()) {
      if (!app.empty() && app != loaded->app->name) continue;
      ToolTimes times(loaded, scratch.string(), answers_file.empty() ? nullptr : &answers);
      auto observer = [&](const World& world, const std::string& tool,
                          const json::object& arguments) { times.Measure(world, tool, arguments); };
      CaseReport report = RunCases(loaded, scratch.string(), "", observer);
      std::vector<std::pair<std::string, Slowest>> sorted(times.slowest().begin(),
                                                          times.slowest().end());
      std::sort(sorted.begin(), sorted.end(),
                [](const auto& a, const auto& b) { return a.second.ms > b.second.ms; });
      int slow = 0;
      for (const auto& [tool, one] : sorted) slow += one.ms > kGoalMs ? 1 : 0;
      over += slow;
      fmt::print("{}: {} tools, {} over {:g} ms (goal 0); {} cases passed, {} failed\n",
                 loaded->app->name, sorted.size(), slow, kGoalMs, report.passed,
                 report.failures.size());
      for (const auto& [tool, one] : sorted) {
        if (one.ms < least_ms) break;
        fmt::print("  {:8.2f} ms {:>8} bytes  {}  {}\n", one.ms, one.bytes, tool,
                   one.arguments.substr(0, 150));
      }
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return over == 0 ? 0 : 1;
}

}  // namespace
}  // namespace viv::engine

int main(int argc, char** argv) {
  return viv::engine::Run(argc > 1 ? argv[1] : VIV_SOURCE_DIR "/apps", argc > 2 ? argv[2] : "",
                          argc > 3 ? std::atof(argv[3]) : 1, argc > 4 ? argv[4] : "");
}
