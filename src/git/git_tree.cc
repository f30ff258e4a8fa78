#include "git/git_tree.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"

namespace viv::git {
namespace {

constexpr std::size_t kRepositoryPathMax = 4096;
constexpr std::size_t kRepositoryNameMax = 64;

// The text up to `end`, taken off the front of `rest`; nothing when `end` is not there.
std::optional<std::string_view> TakeUntil(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return taken;
}

bool IsObjectName(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "100644 blob SHA      12<TAB>path"; the size of what is no blob is "-".
std::optional<Repositories::TreeEntry> ParseTreeLine(std::string_view line) {
  auto mode = TakeUntil(line, ' ');
  auto type = TakeUntil(line, ' ');
  auto sha = TakeUntil(line, ' ');
  auto size = TakeUntil(line, '\t');
  if (!mode || !type || !sha || !size || line.empty() || !IsObjectName(*sha)) return std::nullopt;
  Repositories::TreeEntry entry;
  entry.path = line;
  entry.sha = *sha;
  if (*type == "tree" || *type == "commit") {  // a submodule looks like a folder
    entry.is_folder = true;
    return entry;
  }
  if (*type != "blob") return std::nullopt;
  size->remove_prefix(std::min(size->find_first_not_of(' '), size->size()));
  std::int64_t bytes = 0;
  auto [end, error] = std::from_chars(size->data(), size->data() + size->size(), bytes);
  if (error != std::errc() || end != size->data() + size->size() || bytes < 0) return std::nullopt;
  entry.size = bytes;
  return entry;
}

}  // namespace

Result<std::vector<Repositories::TreeEntry>> ParseGitTree(std::string_view output) {
  std::vector<Repositories::TreeEntry> entries;
  while (!output.empty()) {
    auto line = TakeUntil(output, '\0');
    auto entry = line ? ParseTreeLine(*line) : std::nullopt;
    if (!entry) return Fail(ErrorCode::kInternal, "git ls-tree: its answer is not understood");
    if (entries.size() >= kTreeEntriesMax)
      return Fail(ErrorCode::kLimitExceeded, "the repository has more than " +
                                                 std::to_string(kTreeEntriesMax) +
                                                 " files and folders: clone it instead");
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Status CheckRepositoryPath(std::string_view path) {
  if (path.empty()) return Fail(ErrorCode::kInvalidArgument, "path: which file?");
  if (path.size() > kRepositoryPathMax)
    return Fail(ErrorCode::kInvalidArgument, "path: it has more than 4096 bytes");
  if (path.find('\0') != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument, "path: it has a zero byte");
  for (std::string_view part : Split(path, '/'))
    if (part.empty() || part == "." || part == "..")
      return Fail(
          ErrorCode::kInvalidArgument,
          "path: a path within the repository is expected, without empty, '.' or '..' parts");
  return {};
}

Status CheckWritablePath(std::string_view path) {
  RETURN_IF_ERROR(CheckRepositoryPath(path));
  for (std::string_view part : Split(path, '/')) {
    const std::string name = ToLower(part);
    // What some file systems take for the same name: trailing dots and spaces, short names,
    // streams.
    const std::string bare = name.substr(0, name.find_last_not_of(". ") + 1);
    if (bare == ".git" || bare == "git~1" || name.starts_with(".git:"))
      return Fail(ErrorCode::kInvalidArgument, "path: '.git' is git's own");
  }
  return {};
}

bool IsRepositoryName(std::string_view account_id) {
  auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  };
  return !account_id.empty() && account_id.size() <= kRepositoryNameMax &&
         account_id.front() != '-' && std::all_of(account_id.begin(), account_id.end(), good);
}

}  // namespace viv::git
