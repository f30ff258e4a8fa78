#include "git/repositories.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "git/git_child.h"
#include "git/git_process.h"
#include "git/git_tree.h"
#include "git/repository_concurrency.h"
#include "storage/tree.h"

namespace viv::git {
namespace {

constexpr std::string_view kNewPrefix = ".new-";    // being made
constexpr std::string_view kGonePrefix = ".gone-";  // being removed
constexpr std::size_t kTreeBytesMax = 64 * 1024 * 1024;
constexpr std::size_t kReadFileBytesMax = 32 * 1024 * 1024;
constexpr std::int64_t kRepositoryBytesMax = 4LL << 30;

tl::unexpected<Error> NoRepository(std::string_view account_id) {
  return Fail(ErrorCode::kNotFound,
              "account " + Printable(account_id, 64) + " has no repository yet");
}

Result<UniqueFd> OpenFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // opening it tells what went wrong
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return FailErrno(ErrorCode::kUnavailable, "repository: open " + folder);
  ::fchmod(opened.get(), 0700);
  return opened;
}

// An empty folder that git owns, in place of what an earlier attempt left.
Status MakeGitFolder(const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(UniqueFd parent, OpenFolder(folder));
  struct stat entry {};
  if (::fstatat(parent.get(), name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0)
    RETURN_IF_ERROR(storage::RemoveTree(parent.get(), name));
  if (::mkdirat(parent.get(), name.c_str(), 0700) != 0)
    return FailErrno(ErrorCode::kUnavailable, "repository: make " + name);
  const GitUser user = CurrentGitUser();
  if (user.confined &&
      ::fchownat(parent.get(), name.c_str(), user.uid, user.gid, AT_SYMLINK_NOFOLLOW) != 0)
    return FailErrno(ErrorCode::kUnavailable, "repository: give " + name + " to git");
  return {};
}

Status RenameGitFolder(const std::string& folder, const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(UniqueFd parent, OpenFolder(folder));
  if (::renameat(parent.get(), from.c_str(), parent.get(), to.c_str()) != 0)
    return FailErrno(ErrorCode::kUnavailable, "repository: rename " + from);
  if (::fsync(parent.get()) != 0)
    return FailErrno(ErrorCode::kUnavailable, "repository: keep " + to);
  return {};
}

Status RemoveGitFolder(const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(UniqueFd parent, OpenFolder(folder));
  return storage::RemoveTree(parent.get(), name);
}

// "size: 12\nsize-pack: 34\n" among other lines, in KiB.
std::int64_t RepositoryKib(std::string_view counted) {
  std::int64_t total = 0;
  for (std::string_view line : Split(counted, '\n')) {
    std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string_view name = line.substr(0, colon);
    if (name != "size" && name != "size-pack" && name != "size-garbage") continue;
    std::int64_t value = 0;
    std::from_chars(line.data() + colon + 2, line.data() + line.size(), value);
    total += value;
  }
  return total;
}

}  // namespace

Repositories::Repositories(std::string folder, BlockingPool& pool)
    : folder_(std::move(folder)), pool_(pool), concurrency_(std::make_unique<Concurrency>()) {
  auto parent = OpenFolder(folder_);
  if (!parent) {
    log::Error("repositories.unusable", {{"error", parent.error().message}});
    return;
  }
  std::error_code error;
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(kNewPrefix) || name.starts_with(kGonePrefix)) left.push_back(name);
  }
  for (const std::string& name : left) {
    Status removed = storage::RemoveTree(parent->get(), name);
    if (!removed) log::Warn("repository.left_over", {{"error", removed.error().message}});
  }
}

Repositories::~Repositories() = default;

std::string Repositories::FolderOf(std::string_view account_id) const {
  return folder_ + "/" + std::string(account_id) + ".git";
}

bool Repositories::Has(std::string_view account_id) const {
  if (!IsRepositoryName(account_id)) return false;
  struct stat entry {};
  return ::lstat(FolderOf(account_id).c_str(), &entry) == 0 && S_ISDIR(entry.st_mode);
}

Task<Result<Repositories::CommandOutput>> Repositories::Run(std::string account_id,
                                                            Command command) {
  if (!Has(account_id)) co_return NoRepository(account_id);
  ASSIGN_OR_CO_RETURN(GitSlots::Slot slot, concurrency_->slots.Take(account_id));
  const std::string what = "git " + command.arguments.front();
  GitCommand git;
  git.folder = FolderOf(account_id);
  git.arguments = std::move(command.arguments);
  git.deadline = command.deadline;
  Result<GitOutput> ended =
      co_await RunGit(pool_, std::move(git), std::move(command.input), command.output_bytes_max);
  if (!ended) co_return PassUp(std::move(ended).error(), what);
  if (ended->exit_code != 0 && !command.may_fail) {
    log::Warn("repository.git_failed", {{"account", account_id},
                                        {"command", what},
                                        {"code", ended->exit_code},
                                        {"said", Printable(ended->error_output)}});
    co_return Fail(ErrorCode::kInternal, what + ": it failed");
  }
  CommandOutput answer;
  answer.exit_code = ended->exit_code;
  answer.output = std::move(ended->output);
  co_return answer;
}

Task<Status> Repositories::Make(std::string account_id) {
  if (!IsRepositoryName(account_id))
    co_return Fail(ErrorCode::kInvalidArgument, "this account's id cannot name a repository");
  if (Has(account_id)) co_return Status();
  AsyncMutex::Lock turn = co_await concurrency_->LockOf(account_id).Acquire();
  if (Has(account_id)) co_return Status();
  co_return co_await MakeFolder(account_id);
}

// The repository appears under its name only when it is whole.
Task<Status> Repositories::MakeFolder(std::string account_id) {
  const std::string name = std::string(kNewPrefix) + account_id;
  auto make = [this, &name] { return MakeGitFolder(folder_, name); };
  CO_RETURN_IF_ERROR(co_await pool_.Run(make));
  GitCommand git;
  git.folder = folder_ + "/" + name;
  git.arguments = {"init", "--bare", "--quiet", "--template=", "--initial-branch=main"};
  Result<GitOutput> made = co_await RunGit(pool_, std::move(git), std::string(), 64 * 1024);
  if (!made) co_return PassUp(std::move(made).error(), "make a repository");
  if (made->exit_code != 0) {
    log::Error("repository.not_made",
               {{"account", account_id}, {"said", Printable(made->error_output)}});
    co_return Fail(ErrorCode::kInternal, "git init: it failed");
  }
  auto show = [this, &name, &account_id] {
    return RenameGitFolder(folder_, name, account_id + ".git");
  };
  CO_RETURN_IF_ERROR(co_await pool_.Run(show));
  log::Info("repository.made", {{"account", account_id}});
  co_return Status();
}

// The folder is renamed first, so that an interrupted removal leaves no incomplete repository.
Task<Status> Repositories::Remove(std::string account_id) {
  if (!Has(account_id)) co_return Status();
  AsyncMutex::Lock turn = co_await concurrency_->LockOf(account_id).Acquire();
  if (!Has(account_id)) co_return Status();
  auto remove = [this, &account_id]() -> Status {
    const std::string gone = std::string(kGonePrefix) + RandomHex(16);
    RETURN_IF_ERROR(RenameGitFolder(folder_, account_id + ".git", gone));
    return RemoveGitFolder(folder_, gone);
  };
  CO_RETURN_IF_ERROR(co_await pool_.Run(remove));
  log::Info("repository.removed", {{"account", account_id}});
  co_return Status();
}

Task<Result<std::string>> Repositories::HeadCommit(std::string account_id) {
  Command command;
  command.arguments = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"};
  command.may_fail = true;
  ASSIGN_OR_CO_RETURN(CommandOutput answer,
                      co_await Run(std::move(account_id), std::move(command)));
  if (answer.exit_code != 0) co_return std::string();
  co_return std::string(Trim(answer.output));
}

Task<Result<std::vector<Repositories::TreeEntry>>> Repositories::Tree(std::string account_id) {
  ASSIGN_OR_CO_RETURN(std::string head, co_await HeadCommit(account_id));
  if (head.empty()) co_return std::vector<TreeEntry>();
  Command command;
  command.arguments = {"ls-tree", "-r", "-t", "-l", "-z", head};
  command.output_bytes_max = kTreeBytesMax;
  ASSIGN_OR_CO_RETURN(CommandOutput answer,
                      co_await Run(std::move(account_id), std::move(command)));
  co_return ParseGitTree(answer.output);
}

Task<Result<std::string>> Repositories::ReadFile(std::string account_id, std::string path) {
  CO_RETURN_IF_ERROR(CheckRepositoryPath(path));
  ASSIGN_OR_CO_RETURN(std::string head, co_await HeadCommit(account_id));
  const std::string named = "'" + Printable(path) + "'";
  auto missing = Fail(ErrorCode::kNotFound, "the repository has no file " + named);
  if (head.empty()) co_return missing;
  Command list;
  list.arguments = {"ls-tree", "-l", "-z", head, "--", path};
  ASSIGN_OR_CO_RETURN(CommandOutput listed, co_await Run(account_id, std::move(list)));
  ASSIGN_OR_CO_RETURN(std::vector<TreeEntry> found, ParseGitTree(listed.output));
  if (found.size() != 1 || found.front().path != path) co_return missing;
  if (found.front().is_folder) co_return Fail(ErrorCode::kInvalidArgument, named + " is a folder");
  if (found.front().size > static_cast<std::int64_t>(kReadFileBytesMax))
    co_return Fail(ErrorCode::kLimitExceeded,
                   named + " has more than 32 MiB: clone the repository instead");
  Command read;
  read.arguments = {"cat-file", "blob", found.front().sha};
  read.output_bytes_max = kReadFileBytesMax;
  ASSIGN_OR_CO_RETURN(CommandOutput answer, co_await Run(std::move(account_id), std::move(read)));
  co_return std::move(answer.output);
}

Task<Result<std::int64_t>> Repositories::Size(std::string account_id) {
  if (!Has(account_id)) co_return 0;
  Command command;
  command.arguments = {"count-objects", "-v"};
  ASSIGN_OR_CO_RETURN(CommandOutput answer,
                      co_await Run(std::move(account_id), std::move(command)));
  co_return RepositoryKib(answer.output) * 1024;
}

Task<Result<std::int64_t>> Repositories::BytesLeft(std::string account_id) {
  ASSIGN_OR_CO_RETURN(const std::int64_t used, co_await Size(account_id));
  std::int64_t most = kRepositoryBytesMax;
  if (quota_) most = std::min(most, quota_(account_id, used));
  if (used < most) co_return most - used;
  co_return Fail(ErrorCode::kLimitExceeded,
                 fmt::format("repository storage limit of this account: {} MiB allowed, {} MiB in "
                             "use",
                             most >> 20, used >> 20));
}

Task<Status> Repositories::UpdateHead(std::string account_id) {
  ASSIGN_OR_CO_RETURN(std::string head, co_await HeadCommit(account_id));
  if (!head.empty()) co_return Status();
  Command list;
  list.arguments = {"for-each-ref", "--count=1000", "--sort=-committerdate", "--format=%(refname)",
                    "refs/heads/"};
  list.output_bytes_max = 1024 * 1024;
  ASSIGN_OR_CO_RETURN(CommandOutput branches, co_await Run(account_id, std::move(list)));
  std::string chosen;
  for (std::string_view branch : Split(Trim(branches.output), '\n')) {
    if (chosen.empty()) chosen = branch;
    if (branch == "refs/heads/main" || branch == "refs/heads/master") chosen = branch;
  }
  if (chosen.empty()) co_return Status();
  Command point;
  point.arguments = {"symbolic-ref", "HEAD", chosen};
  ASSIGN_OR_CO_RETURN(CommandOutput pointed, co_await Run(std::move(account_id), std::move(point)));
  co_return Status();
}

}  // namespace viv::git
