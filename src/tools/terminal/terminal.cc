#include "tools/terminal/terminal.h"

#include "tools/kit/workspace.h"
#include "tools/terminal/command.h"
#include "tools/terminal/policy.h"

namespace viv {
extern const std::string_view kTerminalTools;
}

namespace viv::tools {
namespace {

using terminal::Policy;

// The description of the tool tells the policy, which is known only now.
std::string DefinitionsFor(const Policy& policy, const std::string& folder) {
  json::value definitions = *ParseJson(kTerminalTools);
  definitions.get_array()[0].get_object()["description"] =
      terminal::CommandDescription(policy, folder);
  return WriteJson(definitions);
}

}  // namespace

std::unique_ptr<ToolServer> MakeTerminal(const ToolServerOptions& options) {
  const Policy& policy = terminal::PolicyFor(options.profile);
  const std::string folder = Workspace(options.workspace).real_root();
  ServerInfo info{.name = "terminal",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kJsonSchema};
  auto server = std::make_unique<ToolServer>(std::move(info), DefinitionsFor(policy, folder));
  server->On(
      "run_command",
      [&policy, folder](const Arguments& arguments, const CallContext& context) -> CallResult {
        return terminal::RunCommand(policy, folder, arguments.Text("command"), context);
      },
      Concurrency::kParallel);
  server->On("show_security_rules",
             [&policy, folder](const Arguments&, const CallContext&) -> CallResult {
               return Text(terminal::RulesText(policy, folder));
             });
  return server;
}

}  // namespace viv::tools
