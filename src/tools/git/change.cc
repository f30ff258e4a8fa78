#include <filesystem>

#include "tools/git/handlers.h"

namespace viv::tools::git {
namespace {

constexpr std::size_t kFilesMax = 10'000;

// A path out of the working tree would be staged by what it leads to.
Status CheckWithin(const std::string& root, const std::string& file) {
  std::error_code error;
  const auto real =
      file.find('\0') == std::string::npos
          ? std::filesystem::weakly_canonical(std::filesystem::path(root) / file, error)
          : std::filesystem::path();
  if (error || real.empty())
    return Fail(ErrorCode::kInvalidArgument, "Invalid path: '" + file + "'");
  std::string text = real.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  if (text == root || text.starts_with(root + "/")) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "Path '" + file + "' is outside the repository '" + root + "'");
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<std::string> AddFiles(Repository& repository, const Arguments& arguments) {
  const std::vector<std::string> files = arguments.Texts("files");
  if (files.size() > kFilesMax)
    return Fail(ErrorCode::kLimitExceeded,
                "git_add takes at most 10000 files at once; use [\".\"] for all");
  std::vector<std::string> command = {"add"};
  if (files.size() == 1 && files.front() == ".") {
    command.emplace_back(".");
  } else {
    std::error_code error;
    const std::string root = std::filesystem::canonical(repository.folder(), error).string();
    for (const std::string& file : files) RETURN_IF_ERROR(CheckWithin(root, file));
    command.emplace_back("--");
    command.insert(command.end(), files.begin(), files.end());
  }
  RETURN_IF_ERROR(repository.Git(command));
  return std::string("Files staged successfully");
}

Result<std::string> ResetIndex(Repository& repository, const Arguments&) {
  RETURN_IF_ERROR(repository.Git({"read-tree", "HEAD"}));
  return std::string("All staged changes reset");
}

// Commits the index as it is, also when nothing changed, and the message to the byte: as the
// original does, which writes objects itself.
Result<std::string> MakeCommit(Repository& repository, const Arguments& arguments) {
  const std::string message = arguments.Text("message");
  if (message.find('\0') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, "a commit message cannot contain a NUL byte");
  // Without a working tree there is no index, and an empty one would delete every file.
  RETURN_IF_ERROR(repository.Git({"rev-parse", "--show-toplevel"}));
  repository.SetIdentity();
  ASSIGN_OR_RETURN(const std::string tree, repository.Git({"write-tree"}));
  const auto parent = repository.Git({"rev-parse", "--verify", "--quiet", "HEAD"});
  std::vector<std::string> command = {"commit-tree", tree};
  if (parent) command.insert(command.end(), {"-p", *parent});
  ASSIGN_OR_RETURN(const std::string id, repository.Git(command, message));
  const std::string note =
      (parent ? "commit: " : "commit (initial): ") + FirstLine(message).substr(0, 200);
  // The old value makes sure that nobody else committed in between.
  RETURN_IF_ERROR(repository.Git(
      {"update-ref", "-m", note, "HEAD", id, parent ? *parent : std::string(id.size(), '0')}));
  return "Changes committed successfully with hash " + id;
}

}  // namespace viv::tools::git
