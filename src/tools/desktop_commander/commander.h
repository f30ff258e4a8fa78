#pragma once
// What the tools of this server work on, and how a group of them joins the server. A tool's
// failures are answers for the agent: "Error: …" with isError.

#include <memory>
#include <string_view>

#include "tools/desktop_commander/allowed_folders.h"
#include "tools/desktop_commander/config.h"
#include "tools/desktop_commander/sessions.h"
#include "tools/desktop_commander/usage.h"
#include "tools/kit/tool_server.h"

namespace viv::tools::commander {

struct Commander {
  Commander(std::string config_file, std::string workspace_folder)
      : workspace(std::move(workspace_folder)),
        config(std::move(config_file), workspace),
        folders(config, workspace),
        usage(config) {}

  const std::string workspace;
  Config config;
  const AllowedFolders folders;
  Usage usage;
  Sessions sessions;
};

// Binds tools; each call is counted in the usage statistics.
class Binder {
 public:
  using Tool = std::function<ToolResult(Commander&, const Arguments&, const CallContext&)>;

  Binder(ToolServer& server, std::shared_ptr<Commander> commander)
      : server_(server), commander_(std::move(commander)) {}
  void On(std::string_view name, Tool tool, Concurrency concurrency = Concurrency::kExclusive);

 private:
  ToolServer& server_;
  std::shared_ptr<Commander> commander_;  // shared by the handlers; it ends with the last of them
};

ToolResult Failed(const Error& error);  // "Error: " and the message

void AddConfigTools(Binder& binder);
void AddEditTools(Binder& binder);
void AddFolderTools(Binder& binder);
void AddProcessTools(Binder& binder);
void AddReadTools(Binder& binder);
void AddSearchTools(Binder& binder);
void AddSystemTools(Binder& binder);
void AddWriteTools(Binder& binder);

}  // namespace viv::tools::commander
