#include "tools/code_executor/handlers.h"
#include "tools/kit/node_exec.h"

namespace viv::tools::code_executor {
namespace {

// Anything on the error stream makes a run an error, as in the original.
json::object RunFile(const Context& context,
                     const std::string& real,
                     const std::string& path,
                     const CallContext& call) {
  auto folder = context.run_folder.empty() ? context.storage.MakeFolder() : context.run_folder;
  if (!folder) return {{"status", "error"}, {"error", folder.error().message}, {"file_path", path}};
  Launch launch = InEnvironment(context.environment.config(), {"python3", "-u", real},
                                "python3 -u \"" + path + "\"");
  RunRequest request;
  request.arguments = std::move(launch.arguments);
  request.folder = *folder;
  request.variables = {{"PYTHONUNBUFFERED", "1"}};
  request.time_max = context.run_time_max;
  request.cancelled = &call.cancelled;
  ExecResult end = Exec(std::move(request), launch.shown);
  if (!end.failure.empty())
    return {{"status", "error"}, {"error", AsUtf8(std::move(end.failure))}, {"file_path", path}};
  if (!end.error.empty())
    return {{"status", "error"}, {"output", AsUtf8(std::move(end.error))}, {"file_path", path}};
  return {{"status", "success"}, {"output", AsUtf8(std::move(end.output))}, {"file_path", path}};
}

}  // namespace

CallResult ExecuteCode(Context& context, const Arguments& arguments, const CallContext& call) {
  const std::string code = arguments.Text("code");
  if (code.empty()) return Missing("Code is required");
  const std::string name = Storage::FreshName(arguments.Text("filename"));
  const std::string path = context.storage.PathOf(name);
  json::object body;
  if (auto written = context.storage.Create(path, code); !written) {
    body = {{"status", "error"}, {"error", written.error().message}, {"file_path", path}};
  } else {
    body = RunFile(context, path, path, call);
  }
  body["generated_filename"] = name;
  return Block(body);
}

CallResult ExecuteCodeFile(Context& context, const Arguments& arguments, const CallContext& call) {
  const std::string path = arguments.Text("file_path");
  if (path.empty()) return Missing("File path is required");
  auto real = context.storage.Find(path);
  if (!real)
    return Block({{"status", "error"}, {"error", real.error().message}, {"file_path", path}});
  return Block(RunFile(context, *real, path, call));
}

}  // namespace viv::tools::code_executor
