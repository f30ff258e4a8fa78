#include "base/timestamp.h"
#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/query.h"
#include "dialects/e2b/shapes.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kRateWindowSeconds = 60;

// An account is a team of its own.
struct TeamNow {
  std::int64_t at_us = 0;
  std::int64_t running = 0;
  double started_per_second = 0;
};

TeamNow MeasureTeam(const Context& context, const std::string& account_id) {
  TeamNow now;
  now.at_us = context.clock() * 1000;
  std::int64_t started = 0;
  boxes::BoxQuery query;
  query.account_id = account_id;
  query.limit = 1;
  query.accept = [&](const boxes::Box& box) {
    if (IsRunning(box)) ++now.running;
    if (box.started_at_us >= now.at_us - kRateWindowSeconds * 1'000'000) ++started;
    return false;
  };
  context.boxes.List(query);
  now.started_per_second = static_cast<double>(started) / kRateWindowSeconds;
  return now;
}

// Nothing is kept of the past: the one point there is lies now, inside the interval or not.
struct TeamInterval {
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;
  bool Has(const TeamNow& now) const {
    return now.at_us / 1'000'000 >= start && now.at_us / 1'000'000 <= end;
  }
};

TeamInterval ReadInterval(QueryFields& query) {
  TeamInterval interval;
  interval.start = query.Integer("start", 0, INT64_MAX).value_or(interval.start);
  interval.end = query.Integer("end", 0, INT64_MAX).value_or(interval.end);
  if (interval.start > interval.end) query.Refuse("Invalid parameter 'start': it lies after 'end'");
  return interval;
}

bool IsOwnTeam(const http::Request& request) {
  return request.Parameter("teamID") == request.identity.account_id;
}

}  // namespace

Task<http::Response> Health(Context&, http::Request&) {
  co_return http::Text(200, "Healthy");
}

Task<http::Response> ListTeams(Context&, http::Request& request) {
  const std::string& account_id = request.identity.account_id;
  json::object team{{"teamID", account_id},
                    {"name", account_id},
                    {"apiKey", http::KeyOf(request)},  // the caller's own
                    {"isDefault", true}};
  co_return http::Json(200, WriteJson(json::array{std::move(team)}));
}

Task<http::Response> GetTeamMetrics(Context& context, http::Request& request) {
  if (!IsOwnTeam(request)) co_return Failure(403, "You don't have access to this team");
  QueryFields query(request);
  TeamInterval interval = ReadInterval(query);
  if (!query.ok()) co_return RenderError(query.error());
  TeamNow now = MeasureTeam(context, request.identity.account_id);
  json::array list;
  if (interval.Has(now)) {
    list.push_back(json::object{{"timestamp", TimeText(now.at_us)},
                                {"timestampUnix", now.at_us / 1'000'000},
                                {"concurrentSandboxes", now.running},
                                {"sandboxStartRate", now.started_per_second}});
  }
  co_return http::Json(200, WriteJson(list));
}

Task<http::Response> GetTeamMetricMaximum(Context& context, http::Request& request) {
  if (!IsOwnTeam(request)) co_return Failure(403, "You don't have access to this team");
  QueryFields query(request);
  TeamInterval interval = ReadInterval(query);
  auto metric = query.Choice("metric", {"concurrent_sandboxes", "sandbox_start_rate"});
  if (!metric)
    query.Refuse(
        "Invalid parameter 'metric': concurrent_sandboxes or sandbox_start_rate is expected");
  if (!query.ok()) co_return RenderError(query.error());
  TeamNow now = MeasureTeam(context, request.identity.account_id);
  double value =
      *metric == "concurrent_sandboxes" ? static_cast<double>(now.running) : now.started_per_second;
  json::object response{{"timestamp", TimeText(now.at_us)},
                        {"timestampUnix", now.at_us / 1'000'000},
                        {"value", interval.Has(now) ? value : 0.0}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::e2b
