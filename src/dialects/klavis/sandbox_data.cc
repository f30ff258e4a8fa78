#include "base/clock.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/validate.h"
#include "engine/saved_state.h"

namespace viv::klavis {
namespace {

// Sandboxes of apps without a data model have neither initialize nor dump, as at the vendor's.
bool HasModel(const Context& context, const http::Request& request) {
  auto loaded = context.sandboxes.catalogue().Find(request.Parameter("server_name"));
  return loaded != nullptr && !loaded->app->model.empty();
}

std::vector<engine::Problem> CheckBody(const engine::App& app, const json::value& body) {
  std::vector<engine::Problem> problems = engine::CheckDocument(app.model, body);
  for (engine::Problem& problem : problems)
    problem.location.insert(problem.location.begin(), json::string("body"));
  return problems;
}

}  // namespace

Task<http::Response> InitializeSandbox(Context& context, http::Request& request) {
  if (!HasModel(context, request)) co_return Detail(404, "Not Found");
  Validator validator;
  bool with_default = validator.QueryBoolean(request, "init_default_data", false);
  json::value body = validator.Body(request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  worlds::SandboxRef ref = RefOf(request);
  std::string id = ref.sandbox_id;
  auto sandbox = context.sandboxes.Get(ref);
  if (!sandbox) co_return RenderError(sandbox.error());
  auto loaded = context.sandboxes.catalogue().FindVersion((*sandbox)->image);
  if (!loaded) co_return RenderError(loaded.error());
  if (engine::FindSavedState(body) != nullptr) {
    // A full dump: its state is checked row by row when it is loaded.
  } else if (!body.is_null()) {
    std::vector<engine::Problem> problems = CheckBody(*(*loaded)->app, body);
    if (!problems.empty()) co_return RenderProblems(problems);
  } else if (!with_default) {
    co_return Detail(400,
                     "There is nothing to initialize with: send the data as JSON, or set "
                     "init_default_data=true");
  }
  auto start = with_default ? engine::World::StartFrom::kDefault : engine::World::StartFrom::kEmpty;
  auto report = co_await context.sandboxes.Initialize(std::move(ref), start, std::move(body));
  if (!report) co_return RenderError(report.error());
  json::object created;
  for (const auto& [name, count] : report->by_collection) created[name] = count;
  std::string message =
      report->records == 0 && with_default
          ? "Initialized sandbox with its default data"
          : "Initialized sandbox with " + std::to_string(report->records) + " records";
  json::object response{{"sandbox_id", id},
                        {"status", "occupied"},
                        {"message", message},
                        {"records_created", std::move(created)}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> DumpSandbox(Context& context, http::Request& request) {
  if (!HasModel(context, request)) co_return Detail(404, "Not Found");
  worlds::SandboxRef ref = RefOf(request);
  auto sandbox = context.sandboxes.Get(ref);
  if (!sandbox) co_return RenderError(sandbox.error());
  auto data = co_await context.sandboxes.Dump(std::move(ref), engine::DumpForm::kVendor);
  if (!data) co_return RenderError(data.error());
  std::string now = IsoMicros(NowMicros());
  json::object response{
      {"sandbox_id", (*sandbox)->id},
      {"server_name", (*sandbox)->server},
      {"dumped_at",
       now.substr(0, now.find('+'))},  // UTC without an offset, as the vendor writes it
      {"data", std::move(*data)}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::klavis
