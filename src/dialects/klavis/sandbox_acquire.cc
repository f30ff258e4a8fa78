#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/validate.h"

namespace viv::klavis {
namespace {

constexpr std::int64_t kTtlDefault = 7200;
constexpr std::int64_t kTtlLeast = 60;
constexpr std::int64_t kTtlMost = 86'400;

// Absent means the default, null means that the lease never ends.
std::optional<std::int64_t> ReadTtl(Validator& validator, const json::value& body) {
  const json::value* ttl = Find(body, "ttl_seconds");
  if (ttl == nullptr) return kTtlDefault;
  return validator.Integer(body, "ttl_seconds", kTtlLeast, kTtlMost);
}

}  // namespace

Task<http::Response> AcquireSandbox(Context& context, http::Request& request) {
  if (auto refused = RefuseUnknownServer(context, request)) co_return std::move(*refused);
  Validator validator;
  json::value body = validator.Body(request);
  if (!body.is_null() && !body.is_object()) {
    validator.Add({json::string("body")}, "model_attributes_type",
                  "Input should be a valid dictionary or object to extract fields from", body);
  }
  worlds::AcquireOptions options;
  options.account_id = request.identity.account_id;
  options.server = std::string(request.Parameter("server_name"));
  options.benchmark = validator.Choice(body, "benchmark", kBenchmarks).value_or("");
  options.email = validator.Text(body, "test_account_email");
  options.tags = validator.Tags(body);
  options.ttl_seconds = ReadTtl(validator, body);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto acquired = co_await context.sandboxes.Acquire(std::move(options));
  if (!acquired) co_return RenderError(acquired.error());
  const store::Sandbox& sandbox = **acquired;
  std::string url = ServerUrlOf(context, request, sandbox);
  json::object response{
      {"sandbox_id", sandbox.id},
      {"server_url", url},
      {"server_urls", {{sandbox.server, url}}},
      {"server_name", sandbox.server},
      {"status", StatusOf(sandbox)},
      {"message", "Sandbox acquired successfully. Use server_urls to connect to the MCP server."},
  };
  co_return http::Json(201, WriteJson(response));
}

Task<http::Response> PrepareSandboxes(Context& context, http::Request& request) {
  Validator validator;
  if (auto name = request.Query("server_name");
      name && context.sandboxes.catalogue().Find(*name) == nullptr) {
    std::vector<std::string> names;
    for (const auto& loaded : context.sandboxes.catalogue().List())
      names.push_back(loaded->app->name);
    validator.AddChoice({json::string("query"), json::string("server_name")}, names,
                        json::string(*name));
  }
  if (auto benchmark = request.Query("benchmark")) {
    json::value wrapped = json::object{{"benchmark", *benchmark}};
    Validator choice;
    if (!choice.Choice(wrapped, "benchmark", kBenchmarks)) {
      validator.AddChoice({json::string("query"), json::string("benchmark")}, kBenchmarks,
                          json::string(*benchmark));
    }
  }
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  co_return http::Json(
      200,
      R"({"status":"ready","message":"Pools are elastic: sandboxes are made as they are acquired."})");
}

}  // namespace viv::klavis
