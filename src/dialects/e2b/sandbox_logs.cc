#include <algorithm>

#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/query.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kLogEntriesMax = 1000;
constexpr std::size_t kSearchBytesMax = 256;
const std::vector<std::string> kLogLevels = {"debug", "info", "warn", "error"};

std::size_t LevelRank(const std::string& level) {
  auto found = std::find(kLogLevels.begin(), kLogLevels.end(), level);
  return found == kLogLevels.end() ? 1 : static_cast<std::size_t>(found - kLogLevels.begin());
}

json::object FieldsOf(const boxes::LogEntry& entry) {
  json::object fields;
  for (const auto& [key, value] : entry.fields) fields[Printable(key)] = Printable(value, SIZE_MAX);
  return fields;
}

json::object ShowEntry(const boxes::LogEntry& entry) {
  return {{"timestamp", TimeText(entry.at_us)},
          {"message", Printable(entry.message, SIZE_MAX)},
          {"level", kLogLevels[LevelRank(entry.level)]},
          {"fields", FieldsOf(entry)}};
}

// The command line client parses each line as JSON and wants a level in it.
json::object ShowLine(const boxes::LogEntry& entry) {
  json::object line = FieldsOf(entry);
  line["level"] = kLogLevels[LevelRank(entry.level)];
  line["message"] = Printable(entry.message, SIZE_MAX);
  return {{"timestamp", TimeText(entry.at_us)}, {"line", WriteJson(line)}};
}

struct LogFilter {
  std::int64_t cursor_ms = -1;  // where to begin; negative: at the end that the direction has
  std::size_t limit = static_cast<std::size_t>(kLogEntriesMax);
  bool newest_first = false;
  std::size_t least_rank = 0;
  std::string search;
};

std::vector<const boxes::LogEntry*> SelectEntries(const std::vector<boxes::LogEntry>& all,
                                                  const LogFilter& filter) {
  std::vector<const boxes::LogEntry*> chosen;
  auto consider = [&](const boxes::LogEntry& entry) {
    if (chosen.size() >= filter.limit || LevelRank(entry.level) < filter.least_rank) return;
    std::int64_t at_ms = entry.at_us / 1000;
    bool is_past = filter.newest_first ? at_ms > filter.cursor_ms : at_ms < filter.cursor_ms;
    if (filter.cursor_ms >= 0 && is_past) return;
    if (entry.message.find(filter.search) == std::string::npos) return;
    chosen.push_back(&entry);
  };
  if (filter.newest_first) {
    std::for_each(all.rbegin(), all.rend(), consider);
  } else {
    std::for_each(all.begin(), all.end(), consider);
  }
  return chosen;
}

}  // namespace

Task<http::Response> GetSandboxLogs(Context& context, http::Request& request) {
  QueryFields query(request);
  LogFilter filter;
  filter.cursor_ms = query.Integer("start", 0, INT64_MAX).value_or(-1);
  filter.limit = static_cast<std::size_t>(
      std::min(query.Integer("limit", 0, INT64_MAX).value_or(kLogEntriesMax), kLogEntriesMax));
  if (!query.ok()) co_return RenderError(query.error());
  std::string id = SandboxIdOf(request);
  auto all = co_await context.boxes.Logs(request.identity.account_id, id);
  if (!all) co_return RenderSandboxError(all.error(), id);
  json::array lines, entries;
  for (const boxes::LogEntry* entry : SelectEntries(*all, filter)) {
    lines.push_back(ShowLine(*entry));
    entries.push_back(ShowEntry(*entry));
  }
  json::object response{{"logs", std::move(lines)}, {"logEntries", std::move(entries)}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> GetSandboxLogsV2(Context& context, http::Request& request) {
  QueryFields query(request);
  LogFilter filter;
  filter.cursor_ms = query.Integer("cursor", 0, INT64_MAX).value_or(-1);
  filter.limit =
      static_cast<std::size_t>(query.Integer("limit", 0, kLogEntriesMax).value_or(kLogEntriesMax));
  filter.newest_first = query.Choice("direction", {"forward", "backward"}) == "backward";
  if (auto level = query.Choice("level", kLogLevels)) filter.least_rank = LevelRank(*level);
  filter.search = query.Text("search").value_or("");
  if (filter.search.size() > kSearchBytesMax)
    query.Refuse("Invalid parameter 'search': at most 256 characters are expected");
  if (!query.ok()) co_return RenderError(query.error());
  std::string id = SandboxIdOf(request);
  auto all = co_await context.boxes.Logs(request.identity.account_id, id);
  if (!all) co_return RenderSandboxError(all.error(), id);
  json::array entries;
  for (const boxes::LogEntry* entry : SelectEntries(*all, filter))
    entries.push_back(ShowEntry(*entry));
  co_return http::Json(200, WriteJson(json::object{{"logs", std::move(entries)}}));
}

}  // namespace viv::e2b
