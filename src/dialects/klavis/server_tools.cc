#include "dialects/klavis/server_tools.h"

#include <algorithm>

#include "base/text.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/routes.h"
#include "dialects/klavis/tool_formats.h"
#include "dialects/klavis/validate.h"
#include "mcp/call_endpoint.h"

namespace viv::klavis {
namespace {

const std::vector<std::string> kToolFormatNames = {"openai", "anthropic", "gemini", "mcp_native"};
const std::vector<std::string> kConnectionTypes = {"SSE", "StreamableHttp"};

// "http://HOST:PORT/path" → "HOST:PORT", in small letters.
std::string AuthorityOf(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "";
  url.remove_prefix(scheme + 3);
  return ToLower(url.substr(0, url.find_first_of("/?#")));
}

bool IsLoopback(std::string_view authority) {
  if (authority.starts_with("[::1]")) return true;
  const std::string_view host = authority.substr(0, authority.find(':'));
  const bool is_v4 = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || (is_v4 && host.starts_with("127."));
}

// Whether the URL's host is this server, as the caller or the operator names it. Nothing is ever
// dialled, but a request for another server must not be answered by this one.
bool IsOwnUrl(const ServerToolsContext& context,
              const http::Request& request,
              std::string_view url) {
  const std::string authority = AuthorityOf(url);
  const std::string own = AuthorityOf(request.BaseUrl());
  if (authority.empty() || authority.find('@') != std::string::npos) return false;
  return authority == own || authority == AuthorityOf(context.public_url) ||
         (IsLoopback(authority) && IsLoopback(own));
}

Result<mcp::EndpointPtr> FindServer(const ServerToolsContext& context,
                                    const http::Request& request,
                                    std::string_view url) {
  if (!IsOwnUrl(context, request, url))
    return Fail(ErrorCode::kInvalidArgument,
                "serverUrl is not a URL of this server, which connects to no other");
  return context.mcp.FindByUrl(request.identity.account_id, url);
}

std::string RequiredText(Validator& validator, const json::value& body, const char* name) {
  const json::value* given = Find(body, name);
  if (given != nullptr && given->is_string()) return std::string(given->get_string());
  json::array location{json::string("body"), json::string(name)};
  if (given == nullptr) {
    validator.Add(std::move(location), "missing", "Field required", body);
  } else {
    validator.Add(std::move(location), "string_type", "Input should be a valid string", *given);
  }
  return "";
}

json::value ObjectBody(Validator& validator, const http::Request& request) {
  json::value body = validator.Body(request);
  if (validator.ok() && !body.is_object()) {
    if (body.is_null()) {
      validator.Add({json::string("body")}, "missing", "Field required", nullptr);
    } else {
      validator.Add({json::string("body")}, "model_attributes_type",
                    "Input should be a valid dictionary or object to extract fields from", body);
    }
  }
  return body;
}

// Absent or null, or an object; anything else is a problem.
json::object ReadObject(Validator& validator, const json::value& body, const char* name) {
  const json::value* given = Find(body, name);
  if (given == nullptr || given->is_null()) return {};
  if (given->is_object()) return given->get_object();
  validator.Add({json::string("body"), json::string(name)}, "dict_type",
                "Input should be a valid dictionary", *given);
  return {};
}

http::Response ListToolsResponse(ToolFormat format, const Result<json::array>& tools) {
  json::object response{{"success", tools.has_value()},
                        {"tools", nullptr},
                        {"format", json::string(NameOf(format))},
                        {"error", nullptr}};
  if (tools) {
    response["tools"] = ToolsInFormat(format, *tools);
  } else {
    response["error"] = tools.error().message;
  }
  return http::Json(200, WriteJson(response));
}

http::Response CallFailure(const Error& error) {
  json::object response{{"success", false}, {"result", nullptr}, {"error", error.message}};
  return http::Json(200, WriteJson(response));
}

Task<http::Response> ListServerTools(ServerToolsContext& context, http::Request& request) {
  Validator validator;
  const json::value body = ObjectBody(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  const std::string url = RequiredText(validator, body, "serverUrl");
  validator.Choice(body, "connectionType", kConnectionTypes);
  ReadObject(validator, body, "headers");  // for the vendor's way to the server; ours has none
  const auto chosen = validator.Choice(body, "format", kToolFormatNames);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  const ToolFormat format = *ParseToolFormat(chosen.value_or("mcp_native"));
  Result<mcp::EndpointPtr> endpoint = FindServer(context, request, url);
  if (!endpoint) co_return ListToolsResponse(format, PassUp(std::move(endpoint).error()));
  Result<json::array> tools = co_await mcp::ListEndpointTools(*std::move(endpoint), request.client);
  co_return ListToolsResponse(format, tools);
}

Task<http::Response> CallServerTool(ServerToolsContext& context, http::Request& request) {
  Validator validator;
  const json::value body = ObjectBody(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  const std::string url = RequiredText(validator, body, "serverUrl");
  json::object params{{"name", RequiredText(validator, body, "toolName")}};
  params["arguments"] = ReadObject(validator, body, "toolArgs");
  validator.Choice(body, "connectionType", kConnectionTypes);
  ReadObject(validator, body, "headers");
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  Result<mcp::EndpointPtr> endpoint = FindServer(context, request, url);
  if (!endpoint) co_return CallFailure(endpoint.error());
  std::string method = "tools/call";
  Result<std::string> result = co_await mcp::CallEndpoint(*std::move(endpoint), std::move(method),
                                                          std::move(params), request.client);
  if (!result) co_return CallFailure(result.error());
  // As the server wrote it: numbers keep their digits.
  co_return http::Json(200, R"({"success":true,"result":)" + *result + R"(,"error":null})");
}

// The vendor takes 'google calendar', 'GOOGLE_CALENDAR' and 'Google Calendar' for the same.
std::string PlainServerName(std::string_view given) {
  std::string name = ToLower(given);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

Task<http::Response> GetServerTools(ServerToolsContext& context, http::Request& request) {
  Validator validator;
  const std::string chosen = request.Query("format").value_or("mcp_native");
  const std::optional<ToolFormat> format = ParseToolFormat(chosen);
  if (!format)
    validator.AddChoice({json::string("query"), json::string("format")}, kToolFormatNames,
                        json::string(chosen));
  validator.QueryBoolean(request, "legacy", false);
  const std::string name = PlainServerName(request.Parameter("server_name"));
  engine::LoadedAppPtr loaded = context.catalogue.Find(name);
  if (loaded == nullptr && context.local_servers.Find(name) == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : context.catalogue.List()) names.push_back(one->app->name);
    validator.AddChoice({json::string("path"), json::string("server_name")}, names,
                        json::string(request.Parameter("server_name")));
  }
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  if (loaded == nullptr)
    co_return ListToolsResponse(
        *format, Fail(ErrorCode::kUnavailable, "'" + name +
                                                   "' runs in local sandboxes: list its tools by "
                                                   "the mcp_server_url of one"));
  json::array tools;
  for (const std::string& listed : loaded->app->profile("default").listing)
    if (auto tool = ParseJson(listed)) tools.push_back(*std::move(tool));
  co_return ListToolsResponse(*format, std::move(tools));
}

}  // namespace

http::Router ServerToolsRoutes(ServerToolsContext& context, const http::KeyLookup& keys) {
  http::Router router;
  http::Middleware auth = http::Auth(keys, RenderAuthFailure);
  auto add = [&](std::string_view method, std::string_view path,
                 Task<http::Response> (*handler)(ServerToolsContext&, http::Request&)) {
    router.Add(method, path, auth([&context, handler](http::Request& request) {
                 return handler(context, request);
               }));
  };
  add("POST", "/mcp-server/list-tools", ListServerTools);
  add("POST", "/mcp-server/call-tool", CallServerTool);
  add("GET", "/mcp-server/tools/{server_name}", GetServerTools);
  return router;
}

}  // namespace viv::klavis
