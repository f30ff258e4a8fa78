#include <algorithm>

#include "base/text.h"
#include "tools/git/commit.h"
#include "tools/git/handlers.h"
#include "tools/git/patch.h"
#include "tools/git/revision.h"
#include "tools/kit/python_repr.h"

namespace viv::tools::git {
namespace {

constexpr std::int64_t kCommitsMax = 10'000;
constexpr std::size_t kHistoryTextMax = 4 << 20;

void AppendEntry(std::string& text, const std::string& entry) {
  if (!text.empty()) text += '\n';
  text += entry;
}

Result<std::string> LogByCount(const Repository& repository, std::int64_t count) {
  if (count < 0 || count > kCommitsMax) count = kCommitsMax;
  auto ids =
      repository.GitExact({"rev-list", "--max-count=" + std::to_string(count), "HEAD", "--"});
  if (!ids) {
    auto branch = repository.Git({"symbolic-ref", "--quiet", "HEAD"});
    if (branch && !repository.Git({"rev-parse", "--verify", "--quiet", "HEAD"}))
      return Fail(ErrorCode::kNotFound, "Reference at '" + *branch + "' does not exist");
    return PassUp(std::move(ids).error());
  }
  if (ids->empty()) return std::string();
  ASSIGN_OR_RETURN(const std::string batch, repository.GitExact({"cat-file", "--batch"}, *ids));
  std::string text;
  for (const Commit& commit : ParseCommits(batch)) {
    AppendEntry(text, "Commit: " + PythonRepr(commit.id) + "\nAuthor: " + AuthorText(commit) +
                          "\nDate: " + DateText(commit) +
                          "\nMessage: " + PythonRepr(commit.message) + "\n");
    if (text.size() > kHistoryTextMax) break;
  }
  return text;
}

// The original reads these lines by fours although each commit has five, so that every commit but
// the first comes out garbled; here each keeps its own.
Result<std::string> LogByTime(const Repository& repository,
                              const std::string& since,
                              const std::string& until,
                              std::int64_t count) {
  std::vector<std::string> command = {"log"};
  if (!since.empty()) command.insert(command.end(), {"--since", since});
  if (!until.empty()) command.insert(command.end(), {"--until", until});
  command.emplace_back("--format=%H%n%an%n%ad%n%s%n");
  ASSIGN_OR_RETURN(const std::string log, repository.Git(command));
  const std::vector<std::string_view> lines = Split(log, '\n');
  std::string text;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i + 3 < lines.size() && taken < count; i += 5, ++taken) {
    const auto line = [&](std::size_t k) { return std::string(lines[i + k]); };
    AppendEntry(text, "Commit: " + line(0) + "\nAuthor: " + line(1) + "\nDate: " + line(2) +
                          "\nMessage: " + line(3) + "\n");
  }
  return text;
}

Status RefuseOptionTime(const std::string& name, const std::string& time) {
  if (!time.starts_with("-")) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "Invalid " + name + ": '" + time + "' - cannot start with '-'");
}

}  // namespace

Result<std::string> ShowLog(Repository& repository, const Arguments& arguments) {
  const std::string since = arguments.Text("start_timestamp");
  const std::string until = arguments.Text("end_timestamp");
  const std::int64_t count = arguments.Integer("max_count", 10);
  RETURN_IF_ERROR(RefuseOptionTime("start_timestamp", since));
  RETURN_IF_ERROR(RefuseOptionTime("end_timestamp", until));
  const bool by_time = !since.empty() || !until.empty();
  ASSIGN_OR_RETURN(const std::string text, by_time ? LogByTime(repository, since, until, count)
                                                   : LogByCount(repository, count));
  return "Commit history:\n" + text;
}

Result<std::string> ShowCommit(Repository& repository, const Arguments& arguments) {
  const std::string revision = arguments.Text("revision");
  RETURN_IF_ERROR(RefuseOption("revision", revision));
  ASSIGN_OR_RETURN(const std::string id, ResolveCommit(repository, revision));
  ASSIGN_OR_RETURN(const std::string bytes, repository.GitExact({"cat-file", "commit", id}));
  const Commit commit = ParseCommit(id, bytes);
  std::vector<std::string> command = {"diff-tree"};
  if (commit.parents.empty()) {
    command.insert(command.end(), {id, "--root"});
  } else {
    command.insert(command.end(), {commit.parents.front(), id});
  }
  command.insert(command.end(),
                 {"-r", "--abbrev=40", "--full-index", "-M", "-p", "--no-ext-diff", "--no-color"});
  ASSIGN_OR_RETURN(const std::string patch, repository.GitExact(command));
  std::string text = "Commit: " + PythonRepr(commit.id) + "\nAuthor: " + AuthorText(commit) +
                     "\nDate: " + DateObjectText(commit) +
                     "\nMessage: " + PythonRepr(commit.message) + "\n";
  for (const FileChange& change : SplitPatch(patch)) {
    text += "\n--- " + change.old_path.value_or("None") + "\n+++ " +
            change.new_path.value_or("None") + "\n" + change.hunks;
    if (text.size() > kHistoryTextMax) {
      text.resize(kHistoryTextMax);
      return text + "\n[cut after 4 MiB; git_diff shows less at once]";
    }
  }
  return text;
}

}  // namespace viv::tools::git
