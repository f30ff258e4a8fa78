// write_file, create_directory and move_file.

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>

#include "tools/filesystem/resolved_path.h"

namespace viv::tools::filesystem {
namespace {

Result<std::string> WriteFile(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  errno = 0;
  if (!ReplaceFile(workspace, resolved.real, arguments.Text("content"))) {
    // A folder is told from a file before anything is tried, which sets no errno.
    const int error = errno == 0 ? EISDIR : errno;
    return Fail(ErrorCode::kInvalidArgument, NodeErrorText(error, "open", resolved.shown));
  }
  return "Successfully wrote to " + arguments.Text("path");
}

Result<std::string> CreateDirectory(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  const std::string done = "Successfully created directory " + arguments.Text("path");
  if (workspace.Open(resolved.real, O_PATH | O_DIRECTORY)) return done;
  ASSIGN_OR_RETURN(
      ParentFolder parent,
      OpenParentFolder(workspace, resolved, NodeErrorText(EACCES, "mkdir", resolved.shown)));
  if (::mkdirat(parent.folder.get(), parent.name.c_str(), 0777) != 0)
    return Fail(ErrorCode::kInvalidArgument, NodeErrorText(errno, "mkdir", resolved.shown));
  return done;
}

std::string RenameFailure(int error, const ResolvedPath& from, const ResolvedPath& to) {
  return NodeErrorText(error, "rename", from.shown) + " -> '" + to.shown + "'";
}

// What is at the destination is replaced, as rename(2) does it.
Result<std::string> MoveFile(const Workspace& workspace, const Arguments& arguments) {
  const std::string source = arguments.Text("source"), target = arguments.Text("destination");
  ASSIGN_OR_RETURN(ResolvedPath from, ResolvePath(workspace, source));
  ASSIGN_OR_RETURN(ResolvedPath to, ResolvePath(workspace, target));
  const std::string root_failure = RenameFailure(EINVAL, from, to);
  ASSIGN_OR_RETURN(ParentFolder old_holder, OpenParentFolder(workspace, from, root_failure));
  ASSIGN_OR_RETURN(ParentFolder new_holder, OpenParentFolder(workspace, to, root_failure));
  if (::renameat(old_holder.folder.get(), old_holder.name.c_str(), new_holder.folder.get(),
                 new_holder.name.c_str()) != 0)
    return Fail(ErrorCode::kInvalidArgument, RenameFailure(errno, from, to));
  return "Successfully moved " + source + " to " + target;
}

}  // namespace

void BindWriting(ToolServer& server, const Workspace& workspace) {
  BindTextTool(server, "write_file", [workspace](const Arguments& arguments, const CallContext&) {
    return WriteFile(workspace, arguments);
  });
  BindTextTool(server, "create_directory",
               [workspace](const Arguments& arguments, const CallContext&) {
                 return CreateDirectory(workspace, arguments);
               });
  BindTextTool(server, "move_file", [workspace](const Arguments& arguments, const CallContext&) {
    return MoveFile(workspace, arguments);
  });
}

}  // namespace viv::tools::filesystem
