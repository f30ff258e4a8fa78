#pragma once
// The path of a call after it was checked: its real path in the workspace, and the path that
// results show. Errors have the text for the agent.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/kit/tool_server.h"
#include "tools/kit/workspace.h"

namespace viv::tools::filesystem {

struct ResolvedPath {
  std::string real;   // without links; its last part may be missing
  std::string shown;  // the same, or as it was asked for when it is missing
};

// Links are followed. A path outside the workspace, or one that leads there, is refused; so is one
// whose folder does not exist.
Result<ResolvedPath> ResolvePath(const Workspace& workspace, std::string_view path);

// Opens a path without blocking, not even on the other end of a pipe. `call` is what a failure
// names: "ENOENT: no such file or directory, open '/data/x'".
Result<UniqueFd> OpenResolved(const Workspace& workspace,
                              const ResolvedPath& resolved,
                              int flags,
                              std::string_view call);

// Opens a regular file for reading.
Result<UniqueFd> OpenForReading(const Workspace& workspace,
                                const ResolvedPath& resolved,
                                std::string_view call = "open");

// The parent folder of a path, for calls that change a name; never one outside the workspace.
struct ParentFolder {
  UniqueFd folder;
  std::string name;
};
Result<ParentFolder> OpenParentFolder(const Workspace& workspace,
                                      const ResolvedPath& resolved,
                                      const std::string& failure);

// The most that is read of a file, or put into a result.
constexpr std::size_t kTextBytesMax = 12 << 20;

// Whether a text fits into a result. A result has it twice, in one message with JSON escapes, and
// messages are limited to 32 MiB.
bool FitsResult(std::string_view text);

// The result of a tool that returns one text, which is repeated as structured content.
ToolResult TextResult(std::string text);

// Binds a function that returns one text or fails with one.
using TextTool = std::function<Result<std::string>(const Arguments&, const CallContext&)>;
void BindTextTool(ToolServer& server, std::string_view tool, TextTool tell);

// The groups of tools.
void BindReading(ToolServer& server, const Workspace& workspace);
void BindWriting(ToolServer& server, const Workspace& workspace);
void BindEditing(ToolServer& server, const Workspace& workspace);
void BindListing(ToolServer& server, const Workspace& workspace);
void BindSearching(ToolServer& server, const Workspace& workspace);

}  // namespace viv::tools::filesystem
