#include "tools/filesystem/filesystem.h"

#include "tools/filesystem/resolved_path.h"

namespace viv {
extern const std::string_view kFilesystemTools;
}

namespace viv::tools {

std::unique_ptr<ToolServer> MakeFilesystem(const ToolServerOptions& options) {
  ServerInfo info{
      .name = "filesystem", .version = "1.0.0", .instructions = "", .errors = ArgumentErrors::kZod};
  auto server = std::make_unique<ToolServer>(std::move(info), kFilesystemTools);
  const Workspace workspace(options.workspace);
  filesystem::BindReading(*server, workspace);
  filesystem::BindWriting(*server, workspace);
  filesystem::BindEditing(*server, workspace);
  filesystem::BindListing(*server, workspace);
  filesystem::BindSearching(*server, workspace);
  // Some clients know the tools by names that begin with the server's.
  for (const json::value& definition : server->definitions()) {
    const std::string name(FindString(definition, "name"));
    server->Alias("filesystem_" + name, name);
  }
  return server;
}

}  // namespace viv::tools
