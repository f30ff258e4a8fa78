#include "tools/desktop_commander/desktop_commander.h"

#include "tools/desktop_commander/commander.h"

namespace viv {
extern const std::string_view kDesktopCommanderTools;
}

namespace viv::tools {
namespace commander {

void Binder::On(std::string_view name, Tool tool, Concurrency concurrency) {
  server_.On(
      name,
      [commander = commander_, name = std::string(name), tool = std::move(tool)](
          const Arguments& arguments, const CallContext& context) -> CallResult {
        ToolResult result = tool(*commander, arguments, context);
        commander->usage.Count(name, result.is_error ? Outcome::kFailed : Outcome::kSucceeded);
        return result;
      },
      concurrency);
}

ToolResult Failed(const Error& error) {
  return ErrorText("Error: " + error.message);
}

}  // namespace commander

std::unique_ptr<ToolServer> MakeDesktopCommander(const ToolServerOptions& options) {
  ServerInfo info{.name = "desktop-commander",
                  .version = "0.2.7",
                  .instructions = "",
                  .errors = ArgumentErrors::kZodParse};
  auto server = std::make_unique<ToolServer>(std::move(info), kDesktopCommanderTools);
  commander::Binder binder(
      *server, std::make_shared<commander::Commander>(commander::ConfigFile(), options.workspace));
  commander::AddConfigTools(binder);
  commander::AddReadTools(binder);
  commander::AddWriteTools(binder);
  commander::AddFolderTools(binder);
  commander::AddSearchTools(binder);
  commander::AddEditTools(binder);
  commander::AddProcessTools(binder);
  commander::AddSystemTools(binder);
  return server;
}

}  // namespace viv::tools
