#include "tools/desktop_commander/desktop_commander.h"

#include "tools/desktop_commander/commander.h"

namespace viv {
extern const std::string_view kDesktopCommanderTools;
}

namespace viv::tools {
namespace commander {

void Binder::On(std::string_view name, Tool tool, Beside beside) {
  server_.On(
      name,
      [commander = commander_, name = std::string(name), tool = std::move(tool)](
          const Arguments& arguments, const CallContext& context) -> CallResult {
        Answer answer = tool(*commander, arguments, context);
        commander->usage.Count(name, answer.is_error ? Outcome::kFailed : Outcome::kSucceeded);
        return answer;
      },
      beside);
}

Answer Failed(const Error& error) {
  return ErrorText("Error: " + error.message);
}

}  // namespace commander

std::unique_ptr<ToolServer> MakeDesktopCommander(const Setup& setup) {
  ServerInfo info{.name = "desktop-commander",
                  .version = "0.2.7",
                  .instructions = "",
                  .errors = ArgumentErrors::kZodParse};
  auto server = std::make_unique<ToolServer>(std::move(info), kDesktopCommanderTools);
  commander::Binder binder(
      *server, std::make_shared<commander::Commander>(commander::ConfigFile(), setup.workspace));
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
