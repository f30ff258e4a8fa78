#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/shapes.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kMetricSandboxesMax = 100;

json::object ShowMetric(const boxes::MetricPoint& point) {
  // Of all cores together, as envd counts it.
  double percent = point.cpus > 0 ? point.cpu_used_percent / point.cpus : point.cpu_used_percent;
  return {{"timestamp", TimeText(point.at_us)},   {"timestampUnix", point.at_us / 1'000'000},
          {"cpuCount", CpuCount(point.cpus)},     {"cpuUsedPct", std::round(percent * 100) / 100},
          {"memUsed", point.memory_used_bytes},   {"memTotal", point.memory_total_bytes},
          {"memCache", point.memory_cache_bytes}, {"diskUsed", point.disk_used_bytes},
          {"diskTotal", point.disk_total_bytes}};
}

}  // namespace

Task<http::Response> GetSandboxMetrics(Context& context, http::Request& request) {
  QueryFields query(request);
  std::int64_t start = query.Integer("start", 0, INT64_MAX).value_or(0);
  std::int64_t end = query.Integer("end", 0, INT64_MAX).value_or(INT64_MAX);
  if (start > end) query.Refuse("Invalid parameter 'start': it lies after 'end'");
  if (!query.ok()) co_return RenderError(query.error());
  std::string id = SandboxIdOf(request);
  auto points = context.boxes.Metrics(request.identity.account_id, id);
  if (!points) co_return RenderSandboxError(points.error(), id);
  json::array list;
  for (const boxes::MetricPoint& point : *points) {
    std::int64_t at = point.at_us / 1'000'000;
    if (at >= start && at <= end) list.push_back(ShowMetric(point));
  }
  co_return http::Json(200, WriteJson(list));
}

// The latest of each; those that are not there, or have none yet, are left out.
Task<http::Response> ListSandboxMetrics(Context& context, http::Request& request) {
  QueryFields query(request);
  std::optional<std::string> text = query.Text("sandbox_ids");
  if (!text || text->empty())
    query.Refuse("Invalid parameter 'sandbox_ids': ids of sandboxes, joined by ',', are needed");
  if (!query.ok()) co_return RenderError(query.error());
  std::vector<std::string_view> ids = Split(*text, ',');
  if (ids.size() > kMetricSandboxesMax)
    co_return Failure(400, "Invalid parameter 'sandbox_ids': at most 100 ids are taken");
  json::object by_id;
  for (std::string_view asked : ids) {
    std::string id = ShortId(Trim(asked));
    auto points = context.boxes.Metrics(request.identity.account_id, id);
    if (points && !points->empty()) by_id[id] = ShowMetric(points->back());
  }
  co_return http::Json(200, WriteJson(json::object{{"sandboxes", std::move(by_id)}}));
}

}  // namespace viv::e2b
