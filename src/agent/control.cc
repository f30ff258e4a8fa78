#include "agent/control.h"

#include <charconv>
#include <memory>

#include "agent/metrics.h"
#include "base/ids.h"

namespace viv::agent {
namespace {

constexpr std::size_t kVariablesMax = 10'000;

// What an /init body asks for; checked as a whole before anything is changed.
struct InitRequest {
  std::optional<std::string> access_token;
  std::optional<std::string> default_user;
  std::optional<std::string> default_workdir;
  std::optional<std::map<std::string, std::string>> variables;  // all there shall be
};

bool IsVariable(std::string_view name, const json::value& value) {
  return !name.empty() &&
         name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos &&
         value.is_string() && View(value.get_string()).find('\0') == std::string_view::npos;
}

Status ReadText(const json::value& body, std::string_view name, std::optional<std::string>& into) {
  const json::value* value = Find(body, name);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_string()) {
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + " must be a string");
  }
  into = std::string(View(value->get_string()));
  return {};
}

Result<InitRequest> ReadInit(std::string_view text) {
  InitRequest init;
  if (text.empty()) return init;
  ASSIGN_OR_RETURN(json::value body, ParseJson(text));
  if (!body.is_object()) return Fail(ErrorCode::kInvalidArgument, "the body must be an object");
  RETURN_IF_ERROR(ReadText(body, "accessToken", init.access_token));
  RETURN_IF_ERROR(ReadText(body, "defaultUser", init.default_user));
  RETURN_IF_ERROR(ReadText(body, "defaultWorkdir", init.default_workdir));
  const json::value* variables = Find(body, "envVars");
  if (variables == nullptr || variables->is_null()) return init;
  if (!variables->is_object() || variables->get_object().size() > kVariablesMax) {
    return Fail(ErrorCode::kInvalidArgument, "envVars must be an object of at most 10000 strings");
  }
  init.variables.emplace();
  for (const auto& [name, value] : variables->get_object()) {
    if (!IsVariable(name, value)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "envVars: a name is not empty and has no '=', a value is a string, and neither "
                  "has a NUL");
    }
    (*init.variables)[std::string(name)] = View(value.get_string());
  }
  return init;
}

Task<http::Response> HandleInit(Context& context, http::Request& request) {
  Result<InitRequest> init = ReadInit(request.body);
  if (!init) co_return ControlError(400, init.error().message);
  if (init->access_token) context.access_token = *std::move(init->access_token);
  if (init->default_user) context.default_user = *std::move(init->default_user);
  if (init->default_workdir) context.default_workdir = *std::move(init->default_workdir);
  if (init->variables) context.variables = *std::move(init->variables);
  co_return http::Empty(204);
}

Task<http::Response> HandleHealth(http::Request&) {
  http::Response response = http::Empty(204);
  response.headers.Set("Cache-Control", "no-store");
  co_return response;
}

Task<http::Response> HandleVariables(const Context& context, http::Request&) {
  json::object variables;
  for (const auto& [name, value] : context.variables) variables[name] = value;
  co_return http::Json(200, WriteJson(variables));
}

Task<http::Response> HandleMetrics(std::shared_ptr<Metrics> metrics, http::Request&) {
  co_return http::Json(200, WriteJson(metrics->Read()));
}

Task<http::Response> HandleLogs(const Context& context, http::Request& request) {
  std::uint64_t after = 0;
  if (auto text = request.Query("after")) {
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), after);
    if (error != std::errc() || end != text->data() + text->size()) {
      co_return ControlError(400, "after must be the sequence number of an entry");
    }
  }
  co_return http::Json(200, context.logs.Render(after));
}

Task<http::Response> HandleActivity(std::size_t running, http::Request&) {
  json::object body;
  body["running"] = running;
  co_return http::Json(200, WriteJson(body));
}

bool NeedsNoToken(const http::Request& request) {
  const std::string& method = request.method;
  if (request.path == "/health") return method == "GET";
  if (request.path == "/files") return method == "GET" || method == "POST";
  return request.path == "/init" && method == "POST";
}

Task<http::Response> CheckToken(const Context& context,
                                const http::Handler& next,
                                http::Request& request) {
  bool allowed = context.access_token.empty() || NeedsNoToken(request) ||
                 EqualsInConstantTime(request.headers.Get("x-access-token"), context.access_token);
  if (!allowed) {
    co_return ControlError(401,
                           "unauthorized access, please provide a valid access token or method "
                           "signing if supported");
  }
  co_return co_await next(request);
}

}  // namespace

http::Response ControlError(int status, std::string message) {
  json::object body;
  body["code"] = status;
  body["message"] = std::move(message);
  return http::Json(status, WriteJson(body));
}

void AddControlRoutes(Context& context, http::Router& router, RunningCount running) {
  router.Add("GET", "/health", HandleHealth);
  router.Add("POST", "/init",
             [&context](http::Request& request) { return HandleInit(context, request); });
  router.Add("GET", "/envs",
             [&context](http::Request& request) { return HandleVariables(context, request); });
  router.Add("GET", "/metrics",
             [metrics = std::make_shared<Metrics>("/proc", "/")](http::Request& request) {
               return HandleMetrics(metrics, request);
             });
  router.Add("GET", "/logs",
             [&context](http::Request& request) { return HandleLogs(context, request); });
  router.Add("GET", "/activity", [running = std::move(running)](http::Request& request) {
    return HandleActivity(running(), request);
  });
}

http::Middleware RequireAccessToken(const Context& context) {
  return [&context](http::Handler next) -> http::Handler {
    return [&context, next = std::move(next)](http::Request& request) {
      return CheckToken(context, next, request);
    };
  };
}

}  // namespace viv::agent
