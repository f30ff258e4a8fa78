#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

struct UsageSum {
  std::int64_t running = 0;
  std::int64_t at_rest = 0;  // stopped, paused or failed
  std::int64_t millicores = 0;
  std::int64_t memory_bytes = 0;
};

UsageSum SumUsage(const Context& context, const std::string& account_id) {
  UsageSum sum;
  boxes::BoxQuery query;
  query.account_id = account_id;
  query.limit = 0;
  query.accept = [&sum](const boxes::Box& box) {
    const bool up =
        box.state == boxes::BoxState::kRunning || box.state == boxes::BoxState::kStarting;
    if (up) {
      ++sum.running;
      sum.millicores += std::llround(box.spec.limits.cpus * 1000);
      sum.memory_bytes += box.spec.limits.memory_bytes;
    } else {
      ++sum.at_rest;
    }
    return false;
  };
  context.boxes.List(query);
  return sum;
}

std::int64_t CountSnapshots(const Context& context, const std::string& account_id) {
  const auto templates = context.boxes.ListTemplates(account_id);
  return std::count_if(templates.begin(), templates.end(),
                       [](const boxes::TemplateInfo& info) { return info.is_snapshot; });
}

std::int64_t MachineMemoryBytes() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace

// "Used" is what running boxes may use; the limits are the machine's, which all accounts share.
Task<http::Response> GetUsage(Context& context, http::Request& request) {
  const std::string& account_id = request.identity.account_id;
  const UsageSum sum = SumUsage(context, account_id);
  json::object usage{
      {"cpu_limit_millicores", std::int64_t{std::thread::hardware_concurrency()} * 1000},
      {"cpu_used_millicores", sum.millicores},
      {"memory_limit_bytes", MachineMemoryBytes()},
      {"memory_used_bytes", sum.memory_bytes},
      {"sandboxes_used", sum.running + sum.at_rest},
      {"sandbox_running_count", sum.running},
      {"sandbox_stopped_count", sum.at_rest},
      {"sandbox_direct_count", sum.running + sum.at_rest},
      {"sandbox_pool_replicas_count", 0},
      {"snapshots_count", CountSnapshots(context, account_id)},
      {"registries_count", context.registries.List(account_id).size()},
      {"pools_count", 0},
      {"templates_count", 0}};
  if (context.boxes_max != 0) usage["sandboxes_limit"] = context.boxes_max;
  co_return http::Json(200, WriteJson(usage));
}

// Nothing here costs money.
Task<http::Response> GetUsageCosts(Context&, http::Request&) {
  json::object costs{
      {"currency", "USD"}, {"total_cost", 0}, {"items", json::array()}, {"next_cursor", nullptr}};
  co_return http::Json(200, WriteJson(costs));
}

}  // namespace viv::langsmith
