#include "tools/localmemory/memory_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/text.h"

namespace viv::tools::localmemory {
namespace {

constexpr std::size_t kFileBytesMax = 32 << 20;
constexpr int kLockAttemptsMax = 1000;
constexpr std::chrono::milliseconds kLockPause{10};

}  // namespace

MemoryFile::MemoryFile(std::string workspace, std::string below)
    : workspace_(std::move(workspace)), below_(std::move(below)) {}

Result<Graph> MemoryFile::Read() const {
  const std::string doing = "Cannot read the memory file " + Path();
  auto real = workspace_.Real(Path());
  if (!real && real.error().code == ErrorCode::kNotFound) return Graph();
  if (!real) return PassUp(real.error(), doing);
  ASSIGN_OR_RETURN(UniqueFd file, workspace_.Open(*real, O_RDONLY | O_NONBLOCK | O_NOCTTY), doing);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, doing + ": it is not a regular file");
  ASSIGN_OR_RETURN(std::string text, ReadAll(file.get(), kFileBytesMax), doing);
  auto graph = ParseGraph(text);
  if (!graph)
    return Fail(graph.error().code, doing + ": " + graph.error().message +
                                        ". Correct or remove that line; nothing was changed");
  return graph;
}

// Makes the folders on the way. Links are followed only within the workspace.
Result<UniqueFd> MemoryFile::LockFolder() const {
  std::string path = workspace_.root();
  const std::vector<std::string_view> parts = Split(below_, '/');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    path += "/" + std::string(parts[i]);
    ASSIGN_OR_RETURN(std::string real, workspace_.RealForNew(path));
    const std::size_t slash = real.rfind('/');
    if (workspace_.Open(real, O_PATH | O_DIRECTORY)) continue;
    ASSIGN_OR_RETURN(UniqueFd holder, workspace_.Open(real.substr(0, slash), O_PATH | O_DIRECTORY));
    if (::mkdirat(holder.get(), real.c_str() + slash + 1, 0777) != 0 && errno != EEXIST)
      return Fail(ErrorCode::kPermissionDenied, NodeErrorText(errno, "mkdir", path));
  }
  ASSIGN_OR_RETURN(std::string real, workspace_.Real(path));
  ASSIGN_OR_RETURN(UniqueFd folder, workspace_.Open(real, O_RDONLY | O_DIRECTORY));
  for (int attempt = 0; ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (attempt == kLockAttemptsMax)
      return Fail(ErrorCode::kUnavailable,
                  "another program has locked " + path + ": try again when it is done");
    std::this_thread::sleep_for(kLockPause);
  }
  return folder;
}

Status MemoryFile::Change(const std::function<Status(Graph&)>& change) const {
  const std::string doing = "Cannot change the memory file " + Path();
  ASSIGN_OR_RETURN(const UniqueFd lock, LockFolder(), doing);
  ASSIGN_OR_RETURN(Graph graph, Read());
  RETURN_IF_ERROR(change(graph));
  const std::string text = WriteGraph(graph);
  if (text.size() > kFileBytesMax)
    return Fail(ErrorCode::kLimitExceeded, doing + ": it would grow beyond " +
                                               std::to_string(kFileBytesMax >> 20) +
                                               " MiB. Delete entities or observations first");
  ASSIGN_OR_RETURN(std::string real, workspace_.RealForNew(Path()), doing);
  RETURN_IF_ERROR(ReplaceFile(workspace_, real, text), doing);
  return {};
}

}  // namespace viv::tools::localmemory
