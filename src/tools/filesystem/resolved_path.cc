#include "tools/filesystem/resolved_path.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>
#include <memory>

#include "base/text.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kAnswerBytesMax = 30 << 20;

struct PathFreer {
  void operator()(char* path) const { ::free(path); }
};

// The path without links; empty, with errno, when a part of it is missing.
std::string RealPath(const std::string& path) {
  errno = 0;
  const std::unique_ptr<char, PathFreer> real(::realpath(path.c_str(), nullptr));
  return real == nullptr ? std::string() : std::string(real.get());
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
}

tl::unexpected<Error> Denied(const Workspace& workspace,
                             std::string_view what,
                             const std::string& path) {
  return Fail(ErrorCode::kPermissionDenied, "Access denied - " + std::string(what) +
                                                " outside allowed directories: " + path +
                                                " not in " + workspace.root());
}

}  // namespace

Result<ResolvedPath> ResolvePath(const Workspace& workspace, std::string_view path) {
  const std::string absolute = workspace.Absolute(path);
  if (absolute.find('\0') != absolute.npos || !workspace.Contains(absolute))
    return Denied(workspace, "path", absolute);
  const std::string real = RealPath(absolute);
  if (!real.empty()) {
    if (!workspace.Contains(real)) return Denied(workspace, "symlink target", real);
    return ResolvedPath{real, real};
  }
  if (errno != ENOENT)
    return Fail(ErrorCode::kInvalidArgument, NodeErrorText(errno, "realpath", absolute));
  const std::string folder = FolderOf(absolute);
  const std::string real_folder = RealPath(folder);
  if (real_folder.empty() || !workspace.Contains(real_folder))
    return Fail(ErrorCode::kNotFound, "Parent directory does not exist: " + folder);
  return ResolvedPath{real_folder + absolute.substr(absolute.rfind('/')), absolute};
}

Result<UniqueFd> OpenResolved(const Workspace& workspace,
                              const ResolvedPath& resolved,
                              int flags,
                              std::string_view call) {
  if ((flags & O_PATH) == 0) flags |= O_NONBLOCK | O_NOCTTY;
  errno = 0;
  auto file = workspace.Open(resolved.real, flags);
  if (file) return file;
  // A place that is a link is one that leads nowhere.
  const int error = errno == 0 ? EACCES : errno == ELOOP ? ENOENT : errno;
  return Fail(file.error().code, NodeErrorText(error, call, resolved.shown));
}

Result<UniqueFd> OpenForReading(const Workspace& workspace,
                                const ResolvedPath& resolved,
                                std::string_view call) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenResolved(workspace, resolved, O_RDONLY, call));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return Fail(ErrorCode::kInternal, NodeErrorText(errno, "fstat", resolved.shown));
  if (S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, "EISDIR: illegal operation on a directory, read");
  if (!S_ISREG(status.st_mode))
    return Fail(
        ErrorCode::kInvalidArgument,
        resolved.shown + " is not a regular file: pipes, sockets and devices cannot be read");
  return file;
}

Result<ParentFolder> OpenParentFolder(const Workspace& workspace,
                                      const ResolvedPath& resolved,
                                      const std::string& failure) {
  auto folder = workspace.Open(FolderOf(resolved.real), O_PATH | O_DIRECTORY);
  if (!folder) return Fail(ErrorCode::kPermissionDenied, failure);
  return ParentFolder{std::move(*folder), resolved.real.substr(resolved.real.rfind('/') + 1)};
}

bool FitsResult(std::string_view text) {
  std::size_t bytes = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // A control character takes six bytes; one that is no UTF-8 becomes three.
    bytes += byte < 0x20 || byte == 0x7f ? 6 : c == '"' || c == '\\' ? 2 : 1;
  }
  if (!IsValidUtf8(text)) bytes *= 3;
  return 2 * bytes <= kAnswerBytesMax;
}

ToolResult TextResult(std::string text) {
  ToolResult result = Text(std::move(text));
  result.structured = json::object{{"content", result.content.front().at("text")}};
  return result;
}

void BindTextTool(ToolServer& server, std::string_view tool, TextTool tell) {
  // Files have their own atomicity, so calls need not wait for each other.
  server.On(
      tool,
      [tell = std::move(tell)](const Arguments& arguments,
                               const CallContext& context) -> CallResult {
        auto told = tell(arguments, context);
        if (!told) return ErrorText(told.error().message);
        if (!FitsResult(*told))
          return ErrorText("The answer would be too large to pass on: ask for less at once");
        return TextResult(std::move(*told));
      },
      Concurrency::kParallel);
}

}  // namespace viv::tools::filesystem
