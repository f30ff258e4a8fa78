#include "tools/code_executor/code_executor.h"

#include <unistd.h>

#include "tools/code_executor/handlers.h"

namespace viv {
extern const std::string_view kCodeExecutorTools;
}

namespace viv::tools {
namespace code_executor {

CallResult Block(const json::object& body) {
  ToolResult result = Text(WriteJson(json::value(body)));
  result.content.front().get_object()["isError"] =
      FindString(json::value(body), "status") == "error";
  return result;
}

CallResult Missing(std::string message) {
  return tl::unexpected(CallFailure{-32603, std::move(message)});
}

CallResult ConfigureEnvironment(Context& context, const Arguments& arguments, const CallContext&) {
  const EnvironmentConfig change{arguments.Text("type"), arguments.OptionalText("conda_name"),
                                 arguments.OptionalText("venv_path"),
                                 arguments.OptionalText("uv_venv_path")};
  const auto lacks = [&](const char* type, const char* argument) {
    return change.type == type && arguments.Text(argument).empty();
  };
  for (const auto& [type, argument] :
       {std::pair{"conda", "conda_name"}, std::pair{"venv", "venv_path"},
        std::pair{"venv-uv", "uv_venv_path"}}) {
    if (lacks(type, argument))
      return Block({{"status", "error"},
                    {"error", std::string(argument) + " is required when type is '" + type + "'"}});
  }
  const EnvironmentConfig previous = context.environment.Change(change);
  return Block({{"status", "success"},
                {"message", "Environment configuration updated"},
                {"previous", ToJson(previous)},
                {"current", ToJson(context.environment.config())}});
}

CallResult GetEnvironmentConfig(Context& context, const Arguments&, const CallContext&) {
  return Block({{"status", "success"}, {"config", ToJson(context.environment.config())}});
}

}  // namespace code_executor

namespace {

using code_executor::Context;
using code_executor::EnvironmentConfig;

// MCP-Atlas has a folder for the code, which is also where it runs, and an environment in it when
// its data bring one. Elsewhere the code runs among the files of the workspace, and its own lie
// apart from them.
std::shared_ptr<Context> MakeContext(const ToolServerOptions& options) {
  const Workspace workspace(options.workspace);
  if (options.profile != "MCP_Atlas") {
    return std::make_shared<Context>(
        code_executor::Storage(workspace, options.workspace + "/.code_executor"), options.workspace,
        EnvironmentConfig{"venv", {}, "/usr", {}});
  }
  const std::string folder = options.workspace + "/repos/mcp_code_executor_workspace";
  const std::string environment = folder + "/.venv";
  const bool has_own = ::access((environment + "/bin/activate").c_str(), R_OK) == 0;
  return std::make_shared<Context>(
      code_executor::Storage(workspace, folder), "",
      EnvironmentConfig{"venv-uv", {}, {}, has_own ? environment : "/usr"});
}

struct CodeTool {
  std::string_view name;
  CallResult (*handler)(Context&, const Arguments&, const CallContext&);
};

constexpr CodeTool kCodeTools[] = {
    {"execute_code", code_executor::ExecuteCode},
    {"initialize_code_file", code_executor::InitializeCodeFile},
    {"append_to_code_file", code_executor::AppendToCodeFile},
    {"execute_code_file", code_executor::ExecuteCodeFile},
    {"read_code_file", code_executor::ReadCodeFile},
    {"install_dependencies", code_executor::InstallDependencies},
    {"check_installed_packages", code_executor::CheckInstalledPackages},
    {"configure_environment", code_executor::ConfigureEnvironment},
    {"get_environment_config", code_executor::GetEnvironmentConfig},
};

}  // namespace

std::unique_ptr<ToolServer> MakeCodeExecutor(const ToolServerOptions& options) {
  ServerInfo info{.name = "code-executor",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kFailure};
  auto server = std::make_unique<ToolServer>(std::move(info), kCodeExecutorTools);
  // Shared by the handlers, which live as long as the server.
  const std::shared_ptr<Context> context = MakeContext(options);
  for (const CodeTool& tool : kCodeTools) {
    server->On(
        tool.name,
        [context, handler = tool.handler](const Arguments& arguments, const CallContext& call) {
          return handler(*context, arguments, call);
        },
        Concurrency::kParallel);
  }
  return server;
}

}  // namespace viv::tools
