#include "cli/worlds.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "base/text.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

std::string WorldPath(const std::string& id, std::string_view rest = "") {
  return "/api/viv/worlds/" + PercentEncode(id) + std::string(rest);
}

Result<std::string> ReadInput(const std::string& file) {
  if (file == "-")
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  std::ifstream in(file);
  if (!in) return Fail(ErrorCode::kNotFound, file + ": the file cannot be read");
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// The path of a sandbox in the vendor's API, which names its app, too.
Result<std::string> SandboxPath(const Remote& remote, const std::string& id) {
  ASSIGN_OR_RETURN(json::value world, CallServer(remote, "GET", WorldPath(id)));
  return "/sandbox/" + PercentEncode(FindString(world, "server_name")) + "/" + PercentEncode(id);
}

// One JSON-RPC request to the world's MCP server; its result.
Result<json::value> CallMcp(const Remote& remote,
                            const std::string& id,
                            std::string_view method,
                            json::object parameters) {
  ASSIGN_OR_RETURN(json::value world, CallServer(remote, "GET", WorldPath(id)));
  // The URL that reaches the server, whatever its own public URL is.
  const std::string url(FindString(world, "server_url"));
  const std::size_t path = url.find("/mcp/");
  if (path == std::string::npos) return Fail(ErrorCode::kInternal, "the world has no MCP URL");
  json::object message{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}};
  message["params"] = std::move(parameters);
  ASSIGN_OR_RETURN(json::value response,
                   CallServer(remote, "POST", url.substr(path), WriteJson(message)));
  const json::value* result = Find(response, "result");
  if (result != nullptr) return *result;
  const json::value* error = Find(response, "error");
  return Fail(ErrorCode::kInvalidArgument, error == nullptr
                                               ? "the response has no result"
                                               : std::string(FindString(*error, "message")));
}

void PrintRows(char mark,
               std::string_view table,
               const json::value& changes,
               std::string_view kind) {
  const json::value* rows = Find(changes, kind);
  if (rows == nullptr || !rows->is_array()) return;
  for (const json::value& row : rows->get_array())
    fmt::print("{} {} {}\n", mark, table, WriteJson(row));
}

int PrintText(const json::value& result) {
  const json::value* content = Find(result, "content");
  if (content == nullptr || !content->is_array()) return PrintJson(result);
  for (const json::value& part : content->get_array()) {
    if (FindString(part, "type") == "text")
      fmt::print("{}\n", FindString(part, "text"));
    else
      fmt::print("{}\n", WriteJson(part));
  }
  const json::value* failed = Find(result, "isError");
  return failed != nullptr && failed->is_bool() && failed->get_bool() ? 1 : 0;
}

}  // namespace

int AcquireWorld(const Remote& remote, const NewWorld& options) {
  json::object body;
  if (!options.benchmark.empty()) body["benchmark"] = options.benchmark;
  if (options.ttl_seconds) {
    if (*options.ttl_seconds == 0)
      body["ttl_seconds"] = nullptr;
    else
      body["ttl_seconds"] = *options.ttl_seconds;
  }
  auto made = CallServer(remote, "POST", "/sandbox/" + PercentEncode(options.app), WriteJson(body));
  if (!made) return PrintError(made.error());
  if (remote.json) return PrintJson(*made);
  fmt::print("{}\n", FindString(*made, "sandbox_id"));
  fmt::print(stderr, "Its MCP server is at {}\n", FindString(*made, "server_url"));
  return 0;
}

int ShowWorld(const Remote& remote, const std::string& id) {
  auto world = CallServer(remote, "GET", WorldPath(id));
  if (!world) return PrintError(world.error());
  if (remote.json) return PrintJson(*world);
  for (std::string_view name :
       {"sandbox_id", "server_name", "server_url", "benchmark", "email", "expires_at"}) {
    const json::value* value = Find(*world, name);
    if (value != nullptr && value->is_string())
      fmt::print("{:<12} {}\n", name, View(value->get_string()));
  }
  return 0;
}

int ListWorldTools(const Remote& remote, const std::string& id) {
  auto result = CallMcp(remote, id, "tools/list", {});
  if (!result) return PrintError(result.error());
  const json::value* tools = Find(*result, "tools");
  if (remote.json || tools == nullptr || !tools->is_array()) return PrintJson(*result);
  for (const json::value& tool : tools->get_array()) {
    std::string_view about = FindString(tool, "description");
    fmt::print("{:<40}  {}\n", FindString(tool, "name"), about.substr(0, about.find('\n')));
  }
  return 0;
}

int CallWorld(const Remote& remote, const std::string& id, const WorldCall& call) {
  std::string text = call.arguments;
  if (text == "-") {
    auto read = ReadInput(text);
    if (!read) return PrintError(read.error());
    text = *std::move(read);
  }
  auto arguments = ParseJson(Trim(text).empty() ? "{}" : text);
  if (!arguments || !arguments->is_object())
    return PrintError(
        {ErrorCode::kInvalidArgument, "the arguments are a JSON object, such as '{\"limit\": 5}'"});
  json::object parameters{{"name", call.tool}, {"arguments", std::move(*arguments)}};
  auto result = CallMcp(remote, id, "tools/call", std::move(parameters));
  if (!result) return PrintError(result.error());
  return remote.json ? PrintJson(*result) : PrintText(*result);
}

int DiffWorld(const Remote& remote, const std::string& id) {
  auto diff = CallServer(remote, "GET", WorldPath(id, "/diff"));
  if (!diff) return PrintError(diff.error());
  const json::value* tables = Find(*diff, "tables");
  if (remote.json || tables == nullptr || !tables->is_object()) return PrintJson(*diff);
  for (const auto& [name, changes] : tables->get_object()) {
    PrintRows('+', name, changes, "inserted");
    PrintRows('~', name, changes, "updated");
    PrintRows('-', name, changes, "deleted");
  }
  return 0;
}

int VerifyWorld(const Remote& remote, const std::string& id, const std::string& file) {
  auto text = ReadInput(file);
  if (!text) return PrintError(text.error());
  auto verdict = CallServer(remote, "POST", WorldPath(id, "/verify"), *text);
  if (!verdict) return PrintError(verdict.error());
  const json::value* passed = Find(*verdict, "passed");
  const int code = passed != nullptr && passed->is_bool() && passed->get_bool() ? 0 : 1;
  const json::value* results = Find(*verdict, "results");
  if (remote.json || results == nullptr || !results->is_array()) {
    PrintJson(*verdict);
    return code;
  }
  for (const json::value& result : results->get_array()) {
    const json::value* holds = Find(result, "passed");
    const bool good = holds != nullptr && holds->is_bool() && holds->get_bool();
    std::string_view reason = FindString(result, "reason");
    fmt::print("{}  {}{}{}\n", good ? "pass" : "FAIL", FindString(result, "name"),
               reason.empty() ? "" : ": ", reason);
  }
  return code;
}

int ResetWorld(const Remote& remote, const std::string& id) {
  auto path = SandboxPath(remote, id);
  if (!path) return PrintError(path.error());
  auto reset = CallServer(remote, "POST", *path + "/reset");
  return reset ? 0 : PrintError(reset.error());
}

int ReleaseWorlds(const Remote& remote, const std::vector<std::string>& ids) {
  int code = 0;
  for (const std::string& id : ids) {
    auto path = SandboxPath(remote, id);
    if (!path) {
      code = PrintError(path.error());
      continue;
    }
    auto released = CallServer(remote, "DELETE", *path);
    if (!released) code = PrintError(released.error());
  }
  return code;
}

int ForkWorld(const Remote& remote, const std::string& id) {
  auto fork = CallServer(remote, "POST", WorldPath(id, "/fork"));
  if (!fork) return PrintError(fork.error());
  if (remote.json) return PrintJson(*fork);
  fmt::print("{}\n", FindString(*fork, "sandbox_id"));
  return 0;
}

int DumpWorld(const Remote& remote, const std::string& id) {
  auto dump = CallServer(remote, "GET", WorldPath(id, "/dump"));
  if (!dump) return PrintError(dump.error());
  return PrintJson(*dump);
}

int LoadWorld(const Remote& remote, const std::string& id, const std::string& file) {
  auto text = ReadInput(file);
  if (!text) return PrintError(text.error());
  auto path = SandboxPath(remote, id);
  if (!path) return PrintError(path.error());
  auto loaded = CallServer(remote, "POST", *path + "/initialize", *text);
  if (!loaded) return PrintError(loaded.error());
  if (remote.json) return PrintJson(*loaded);
  fmt::print("{}\n", FindString(*loaded, "message"));
  return 0;
}

int SetWorldClock(const Remote& remote, const std::string& id, const WorldClock& clock) {
  json::object body{{"mode", clock.mode}};
  if (!clock.now.empty()) body["now"] = clock.now;
  const std::string path = WorldPath(id, "/clock");
  auto state = clock.mode.empty() ? CallServer(remote, "GET", path)
                                  : CallServer(remote, "PUT", path, WriteJson(body));
  if (!state) return PrintError(state.error());
  if (remote.json) return PrintJson(*state);
  fmt::print("{}  {}\n", FindString(*state, "now"), FindString(*state, "mode"));
  return 0;
}

int SetWorldFaults(const Remote& remote, const std::string& id, const std::string& file) {
  const std::string path = WorldPath(id, "/faults");
  if (file.empty()) {
    auto faults = CallServer(remote, "GET", path);
    return faults ? PrintJson(*faults) : PrintError(faults.error());
  }
  auto text = ReadInput(file);
  if (!text) return PrintError(text.error());
  auto set = CallServer(remote, "PUT", path, *text);
  return set ? PrintJson(*set) : PrintError(set.error());
}

}  // namespace viv::cli
