#include <absl/time/time.h>

#include "base/clock.h"
#include "dialects/dashboard/context.h"
#include "engine/saved_state.h"
#include "mcp/routes.h"

namespace viv::dashboard {
namespace {

worlds::SandboxRef RefOf(const http::Request& request) {
  return {.account_id = request.identity.account_id,
          .server = "",
          .sandbox_id = std::string(request.Parameter("id"))};
}

json::object DescribeWorld(const Context& context,
                           const http::Request& request,
                           const store::Sandbox& sandbox) {
  const std::string base = context.public_url.empty() ? request.BaseUrl() : context.public_url;
  auto or_null = [](const std::string& text) {
    return text.empty() ? json::value() : json::value(text);
  };
  return {{"sandbox_id", sandbox.id},
          {"server_name", sandbox.server},
          {"server_url", mcp::ServerUrl(base, sandbox)},
          {"benchmark", or_null(sandbox.benchmark)},
          {"email", sandbox.email},
          {"expires_at",
           sandbox.expires_at_us ? json::value(IsoMicros(*sandbox.expires_at_us)) : json::value()}};
}

http::Response Render(const Result<json::value>& value) {
  if (!value) return RenderError(value.error());
  return http::Json(200, WriteJson(*value));
}

constexpr std::string_view kModes[] = {"tick", "frozen", "real"};

struct ClockSetting {
  engine::ClockMode mode = engine::ClockMode::kTick;
  std::optional<std::int64_t> now_ms;
};

Result<ClockSetting> ReadClock(const std::string& body_text) {
  ASSIGN_OR_RETURN(json::value body, ParseJson(body_text));
  ClockSetting setting;
  std::string_view mode = FindString(body, "mode");
  bool known = false;
  for (int i = 0; i < 3; ++i) {
    if (mode != kModes[i]) continue;
    setting.mode = static_cast<engine::ClockMode>(i);
    known = true;
  }
  if (!known)
    return Fail(ErrorCode::kInvalidArgument, "mode: one of tick, frozen or real is expected");
  if (const json::value* now = Find(body, "now")) {
    absl::Time time;
    std::string error;
    if (!now->is_string() ||
        !absl::ParseTime(absl::RFC3339_full, std::string(now->get_string()), &time, &error)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "now: a time such as 2025-06-02T09:00:00Z is expected");
    }
    setting.now_ms = absl::ToUnixMillis(time);
  }
  return setting;
}

}  // namespace

Task<http::Response> ShowWorld(Context& context, http::Request& request) {
  auto found = context.sandboxes.Get(RefOf(request));
  if (!found) co_return RenderError(found.error());
  co_return http::Json(200, WriteJson(DescribeWorld(context, request, **found)));
}

Task<http::Response> DiffWorld(Context& context, http::Request& request) {
  auto diff = co_await context.sandboxes.Diff(RefOf(request));
  co_return Render(diff);
}

Task<http::Response> VerifyWorld(Context& context, http::Request& request) {
  auto body = ParseJson(request.body);
  if (!body) co_return RenderError(body.error());
  const json::value* list = body->is_array() ? &*body : Find(*body, "expectations");
  if (list == nullptr || !list->is_array())
    co_return Failure(400, "invalid_argument", "expectations: a list is expected");
  auto verdict = co_await context.sandboxes.Verify(RefOf(request), list->get_array());
  co_return Render(verdict);
}

Task<http::Response> ForkWorld(Context& context, http::Request& request) {
  auto forked = co_await context.sandboxes.Fork(RefOf(request));
  if (!forked) co_return RenderError(forked.error());
  json::object response = DescribeWorld(context, request, **forked);
  response["forked_from"] = std::string(request.Parameter("id"));
  co_return http::Json(201, WriteJson(response));
}

Task<http::Response> DumpWorld(Context& context, http::Request& request) {
  auto data = co_await context.sandboxes.Save(RefOf(request));
  co_return Render(data);
}

Task<http::Response> LoadWorld(Context& context, http::Request& request) {
  auto body = ParseJson(request.body);
  if (!body) co_return RenderError(body.error());
  if (engine::FindSavedState(*body) == nullptr) {
    co_return Failure(400, "invalid_argument",
                      "_world: the state is missing; send what GET dump answered");
  }
  auto report = co_await context.sandboxes.Initialize(
      RefOf(request), engine::World::StartFrom::kEmpty, std::move(*body));
  if (!report) co_return RenderError(report.error());
  json::object response{{"sandbox_id", std::string(request.Parameter("id"))},
                        {"records", report->records}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> SetFaults(Context& context, http::Request& request) {
  auto body = ParseJson(request.body);
  if (!body) co_return RenderError(body.error());
  Status set = co_await context.sandboxes.SetFaults(RefOf(request), std::move(*body));
  if (!set) co_return RenderError(set.error());
  co_return co_await GetFaults(context, request);
}

Task<http::Response> GetFaults(Context& context, http::Request& request) {
  auto faults = co_await context.sandboxes.GetFaults(RefOf(request));
  co_return Render(faults);
}

Task<http::Response> SetClock(Context& context, http::Request& request) {
  auto setting = ReadClock(request.body);
  if (!setting) co_return RenderError(setting.error());
  Status set = co_await context.sandboxes.SetClock(RefOf(request), setting->mode, setting->now_ms);
  if (!set) co_return RenderError(set.error());
  co_return co_await GetClock(context, request);
}

Task<http::Response> GetClock(Context& context, http::Request& request) {
  auto state = co_await context.sandboxes.Clock(RefOf(request));
  if (!state) co_return RenderError(state.error());
  json::object response{{"mode", kModes[static_cast<int>(state->mode)]},
                        {"now", IsoMicros(state->now_ms() * 1000)}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::dashboard
