// write_file, create_directory and move_file.

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "tools/desktop_commander/commander.h"

namespace viv::tools::commander {
namespace {

Status AppendTo(const AllowedPath& allowed, std::string_view content) {
  ASSIGN_OR_RETURN(UniqueFd file,
                   OpenAllowed(allowed, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, "open"));
  return WriteAll(file.get(), content);
}

Status Rewrite(const AllowedPath& allowed, std::string_view content) {
  struct stat status {};
  if (::lstat(allowed.real.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, NodeErrorText(EISDIR, "open", allowed.real));
  return ReplaceFile(allowed.directory, allowed.real, content);
}

ToolResult WriteFileTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  const std::string path = arguments.Text("path");
  const std::string content = arguments.Text("content");
  const bool append = arguments.Text("mode") == "append";
  auto allowed = commander.folders.ForNew(path, "open");
  if (!allowed) return Failed(allowed.error());
  const Status written = append ? AppendTo(*allowed, content) : Rewrite(*allowed, content);
  if (!written) return Failed(written.error());
  const std::int64_t lines = std::ranges::count(content, '\n') + 1;
  std::string text = "Successfully " + std::string(append ? "appended to " : "wrote to ") + path +
                     " (" + std::to_string(lines) + " lines) ";
  if (lines > commander.config.WriteLineLimit())
    text += "✅ File written successfully! (" + std::to_string(lines) +
            " lines)\n\n💡 Performance tip: a long file is written faster in pieces of up to 30 "
            "lines: the first with mode rewrite, the others with mode append.";
  return Text(std::move(text));
}

ToolResult CreateDirectoryTool(Commander& commander,
                               const Arguments& arguments,
                               const CallContext&) {
  const std::string path = arguments.Text("path");
  if (Status made = commander.folders.MakeFolder(path); !made) return Failed(made.error());
  return Text("Successfully created directory " + path);
}

// The folder that holds it, opened, and its name there.
struct NameInFolder {
  UniqueFd folder;
  std::string name;
};

Result<NameInFolder> Locate(const AllowedPath& allowed) {
  const std::size_t slash = allowed.real.rfind('/');
  if (allowed.real == allowed.directory.real_root())
    return Fail(ErrorCode::kInvalidArgument,
                "EBUSY: resource busy or locked, rename '" + allowed.real + "'");
  const AllowedPath parent{allowed.directory, slash == 0 ? "/" : allowed.real.substr(0, slash)};
  ASSIGN_OR_RETURN(UniqueFd folder, OpenAllowed(parent, O_PATH | O_DIRECTORY, "rename"));
  return NameInFolder{std::move(folder), allowed.real.substr(slash + 1)};
}

Status Move(const AllowedFolders& folders,
            const std::string& source,
            const std::string& destination) {
  const auto wording = [&](int error) {
    return NodeErrorText(error, "rename", folders.Absolute(source)) + " -> '" +
           folders.Absolute(destination) + "'";
  };
  auto from = folders.Existing(source, "rename");
  auto to = folders.ForNew(destination, "rename");
  for (const auto* allowed : {&from, &to})
    if (!*allowed)
      return allowed->error().code == ErrorCode::kNotFound
                 ? Status(Fail(ErrorCode::kNotFound, wording(ENOENT)))
                 : Status(PassUp(allowed->error()));
  ASSIGN_OR_RETURN(NameInFolder old_name, Locate(*from));
  ASSIGN_OR_RETURN(NameInFolder new_name, Locate(*to));
  if (::renameat(old_name.folder.get(), old_name.name.c_str(), new_name.folder.get(),
                 new_name.name.c_str()) != 0)
    return Fail(ErrorCode::kUnavailable, wording(errno));
  return {};
}

ToolResult MoveFileTool(Commander& commander, const Arguments& arguments, const CallContext&) {
  const std::string source = arguments.Text("source");
  const std::string destination = arguments.Text("destination");
  if (Status moved = Move(commander.folders, source, destination); !moved)
    return Failed(moved.error());
  return Text("Successfully moved " + source + " to " + destination);
}

}  // namespace

void AddWriteTools(Binder& binder) {
  binder.On("write_file", WriteFileTool);
  binder.On("create_directory", CreateDirectoryTool);
  binder.On("move_file", MoveFileTool);
}

}  // namespace viv::tools::commander
