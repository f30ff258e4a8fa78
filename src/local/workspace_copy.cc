// Copies listed content into a layer, and makes the git repositories in it.

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>

#include "base/errno_error.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "local/workspace_content.h"
#include "templates/program.h"

namespace viv::local {
namespace {

constexpr std::chrono::seconds kHistoryTime{120};
constexpr std::size_t kCopyBufferBytes = 1 << 20;

tl::unexpected<Error> CopyError(const std::string& doing) {
  return FailErrno(
      errno == ENOSPC || errno == EDQUOT ? ErrorCode::kLimitExceeded : ErrorCode::kUnavailable,
      doing);
}

// Below `root`, through no link: what was listed a moment ago may be another thing by now.
UniqueFd OpenListed(int root, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

Status CopyBytes(int from, int to, std::vector<char>& buffer) {
  std::int64_t copied = 0;
  while (true) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CopyError("read");
    if (got == 0) return {};
    if ((copied += got) > kContentBytesMax) return Fail(ErrorCode::kLimitExceeded, "it grows");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return CopyError("write");
      done += put;
    }
  }
}

// Modes, times and owner as the box shall see them. A folder's time is set when it is full.
Status FinishEntry(int fd, const ContentEntry& entry) {
  const timespec times[2] = {entry.modified, entry.modified};
  if (::fchown(fd, kWorkspaceUser, kWorkspaceUser) != 0 || ::fchmod(fd, entry.mode) != 0 ||
      ::futimens(fd, times) != 0)
    return CopyError("give it to the box's user");
  return {};
}

Status CopyOne(int from, int to, const ContentEntry& entry, std::vector<char>& buffer) {
  const char* path = entry.path.c_str();
  switch (entry.kind) {
    case ContentEntry::Kind::kHistory:
      return {};
    case ContentEntry::Kind::kFolder:
      return ::mkdirat(to, path, 0700) == 0 ? Status() : CopyError("make the folder");
    case ContentEntry::Kind::kLink:
      if (::symlinkat(entry.target.c_str(), to, path) != 0 ||
          ::fchownat(to, path, kWorkspaceUser, kWorkspaceUser, AT_SYMLINK_NOFOLLOW) != 0)
        return CopyError("make the link");
      return {};
    case ContentEntry::Kind::kFile:
      break;
  }
  const UniqueFd source = OpenListed(from, entry.path, O_RDONLY);
  struct stat status {};
  if (!source || ::fstat(source.get(), &status) != 0) return CopyError("open");
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kConflict, "it changed meanwhile");
  const UniqueFd made(::openat(to, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made) return CopyError("make");
  RETURN_IF_ERROR(CopyBytes(source.get(), made.get(), buffer));
  return FinishEntry(made.get(), entry);
}

// `git` reads no configuration of the host. A history cannot name files outside its repository, and
// fast-import refuses to write any unless it is told otherwise.
Status ImportHistory(const std::string& stream, const std::string& repository) {
  constexpr char kScript[] =
      "umask 022; git init --quiet --template= --initial-branch=main \"$1\" && "
      "git -C \"$1\" fast-import --quiet < \"$2\" && git -C \"$1\" reset --quiet --hard main";
  const std::vector<std::string> command = {"env",
                                            "GIT_CONFIG_NOSYSTEM=1",
                                            "GIT_CONFIG_GLOBAL=/dev/null",
                                            "HOME=/nonexistent",
                                            "sh",
                                            "-c",
                                            kScript,
                                            "sh",
                                            repository,
                                            stream};
  return templates::RunProgram(command, nullptr, kHistoryTime);
}

// What git made becomes the user's too; its modes stay.
Status OwnRepository(const std::string& repository) {
  ASSIGN_OR_RETURN(const std::vector<ContentEntry> entries, ListContent(repository));
  const UniqueFd root(::open(repository.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root || ::fchown(root.get(), kWorkspaceUser, kWorkspaceUser) != 0)
    return CopyError("own " + repository);
  for (const ContentEntry& entry : entries)
    if (::fchownat(root.get(), entry.path.c_str(), kWorkspaceUser, kWorkspaceUser,
                   AT_SYMLINK_NOFOLLOW) != 0)
      return CopyError("own " + entry.path);
  return {};
}

Status MakeRepository(const std::string& from, const std::string& to, const ContentEntry& entry) {
  const std::string name = entry.path.substr(0, entry.path.rfind('.'));
  const std::string repository = to + "/" + name;
  if (::access(repository.c_str(), F_OK) == 0) {
    return Fail(ErrorCode::kInvalidArgument, from + "/" + entry.path + " is the history of " +
                                                 name + ", which is there as well");
  }
  RETURN_IF_ERROR(ImportHistory(from + "/" + entry.path, repository),
                  "make a repository of " + from + "/" + entry.path);
  return OwnRepository(repository);
}

Status MakeRepositories(const std::string& from,
                        const std::vector<ContentEntry>& entries,
                        const std::string& to) {
  for (const ContentEntry& entry : entries) {
    if (entry.kind != ContentEntry::Kind::kHistory) continue;
    if (!CanMakeRepositories()) {
      log::Warn("workspace.without_repositories",
                {{"profile", from}, {"advice", "apt-get install git, then start again"}});
      return {};
    }
    RETURN_IF_ERROR(MakeRepository(from, to, entry));
  }
  return {};
}

}  // namespace

bool CanMakeRepositories() {
  return ::access("/usr/bin/git", X_OK) == 0 || ::access("/usr/local/bin/git", X_OK) == 0;
}

Status CopyContent(const std::string& from,
                   const std::vector<ContentEntry>& entries,
                   const std::string& to) {
  if (::mkdir(to.c_str(), 0755) != 0) return CopyError("make " + to);
  const UniqueFd target(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!target || ::fchmod(target.get(), 0755) != 0 ||
      ::fchown(target.get(), kWorkspaceUser, kWorkspaceUser) != 0)
    return CopyError("make " + to);
  if (entries.empty()) return {};
  const UniqueFd source(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!source) return CopyError("open " + from);
  std::vector<char> buffer(kCopyBufferBytes);
  for (const ContentEntry& entry : entries)
    RETURN_IF_ERROR(CopyOne(source.get(), target.get(), entry, buffer),
                    "copy " + from + "/" + entry.path);
  RETURN_IF_ERROR(MakeRepositories(from, entries, to));
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->kind != ContentEntry::Kind::kFolder) continue;
    const UniqueFd folder = OpenListed(target.get(), entry->path, O_RDONLY | O_DIRECTORY);
    if (!folder) return CopyError("open " + entry->path);
    RETURN_IF_ERROR(FinishEntry(folder.get(), *entry), "copy " + from + "/" + entry->path);
  }
  return {};
}

}  // namespace viv::local
