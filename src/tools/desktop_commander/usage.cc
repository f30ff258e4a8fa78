#include "tools/desktop_commander/usage.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"

namespace viv::tools::commander {
namespace {

constexpr std::int64_t kSessionGapMs = 30 * 60 * 1000;
constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;

struct UsageCategory {
  std::string_view key, title;
  std::vector<std::string_view> tools;
};

const std::vector<UsageCategory>& UsageCategories() {
  static const std::vector<UsageCategory> kCategories = {
      {"filesystemOperations",
       "Filesystem",
       {"read_file", "read_multiple_files", "write_file", "create_directory", "list_directory",
        "move_file", "get_file_info"}},
      {"terminalOperations",
       "Terminal",
       {"force_terminate", "list_sessions"}},  // those that its original counts
      {"editOperations", "Editing", {"edit_block"}},
      {"searchOperations", "Search", {"search_files", "search_code"}},
      {"configOperations", "Config", {"get_config", "set_config_value"}},
      {"processOperations", "Process", {"list_processes", "kill_process"}}};
  return kCategories;
}

// An agent can set the statistics to anything, so nothing about them is taken for granted.
std::int64_t CountIn(const json::object& stats, std::string_view key) {
  const json::value* count = stats.if_contains(key);
  return count != nullptr && count->is_int64() ? std::max<std::int64_t>(0, count->get_int64()) : 0;
}

void AddOne(json::object& stats, std::string_view key) {
  stats[key] = CountIn(stats, key) + (CountIn(stats, key) < (1LL << 52) ? 1 : 0);
}

json::object& ObjectIn(json::object& outer, std::string_view key) {
  json::value& value = outer[key];
  if (!value.is_object()) value = json::object();
  return value.get_object();
}

// The statistics of a new sandbox: its directory was set, which was the first call.
json::object FirstUsage(std::int64_t now) {
  json::object stats;
  for (const UsageCategory& category : UsageCategories())
    stats[category.key] = category.key == "configOperations" ? 1 : 0;
  stats["totalToolCalls"] = 1;
  stats["successfulCalls"] = 1;
  stats["failedCalls"] = 0;
  stats["toolCounts"] = json::object{{"set_config_value", 1}};
  stats["firstUsed"] = now;
  stats["lastUsed"] = now;
  stats["totalSessions"] = 2;  // as its original counts: the first call begins the second
  stats["lastFeedbackPrompt"] = 0;
  return stats;
}

}  // namespace

Usage::Usage(Config& config) : config_(config) {
  config_.Change([this](json::object& values) {
    if (values.contains("usageStats")) return;
    last_call_ms_ = NowMs();
    values["usageStats"] = FirstUsage(last_call_ms_);
  });
}

void Usage::Count(std::string_view tool, Outcome outcome) {
  const std::int64_t now = NowMs();
  bool fresh_session;
  {
    const std::lock_guard lock(mutex_);
    fresh_session = now - last_call_ms_ > kSessionGapMs;
    last_call_ms_ = now;
  }
  config_.Change([&](json::object& config) {
    json::object& stats = ObjectIn(config, "usageStats");
    for (const UsageCategory& category : UsageCategories()) {
      if (!stats.contains(category.key)) stats[category.key] = 0;
      if (std::ranges::find(category.tools, tool) != category.tools.end())
        AddOne(stats, category.key);
    }
    for (std::string_view key : {"totalToolCalls", "successfulCalls", "failedCalls"})
      if (!stats.contains(key)) stats[key] = 0;
    AddOne(stats, "totalToolCalls");
    AddOne(stats, outcome == Outcome::kSucceeded ? "successfulCalls" : "failedCalls");
    AddOne(ObjectIn(stats, "toolCounts"), tool);
    if (!stats.contains("firstUsed")) stats["firstUsed"] = now;
    stats["lastUsed"] = now;
    if (fresh_session) AddOne(stats, "totalSessions");
  });
}

std::string Usage::Summary() const {
  json::object config = config_.Snapshot();
  json::object& stats = ObjectIn(config, "usageStats");
  const std::int64_t calls = CountIn(stats, "totalToolCalls");
  const std::int64_t good = CountIn(stats, "successfulCalls");
  std::vector<std::pair<std::string, std::int64_t>> tools;
  json::object& counts = ObjectIn(stats, "toolCounts");
  for (const auto& [name, count] : counts) tools.emplace_back(name, CountIn(counts, name));
  std::ranges::stable_sort(tools, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string top;
  for (std::size_t i = 0; i < std::min<std::size_t>(5, tools.size()); ++i)
    top += (i > 0 ? ", " : "") + tools[i].first + ": " + std::to_string(tools[i].second);
  const std::int64_t first = stats.contains("firstUsed") ? CountIn(stats, "firstUsed") : NowMs();
  const json::value* feedback = config.if_contains("feedbackGiven");
  std::string text =
      "📊 **Usage Summary**\n• Total calls: " + std::to_string(calls) + " (" + std::to_string(good) +
      " successful, " + std::to_string(CountIn(stats, "failedCalls")) +
      " failed)\n• Success rate: " +
      std::to_string(calls > 0 ? (good * 100 + calls / 2) / calls : 0) +
      "%\n• Days using: " + std::to_string((NowMs() - first + kDayMs / 2) / kDayMs) +
      "\n• Sessions: " + std::to_string(CountIn(stats, "totalSessions")) +
      "\n• Unique tools: " + std::to_string(tools.size()) +
      "\n• Most used: " + (top.empty() ? "None" : top) + "\n• Feedback given: " +
      (feedback != nullptr && feedback->is_bool() && feedback->get_bool() ? "Yes" : "No") +
      "\n\n**By Category:**";
  for (const UsageCategory& category : UsageCategories())
    text +=
        "\n• " + std::string(category.title) + ": " + std::to_string(CountIn(stats, category.key));
  return text;
}

}  // namespace viv::tools::commander
