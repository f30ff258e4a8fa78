// A commit made by the server itself. git fast-import takes the files and the commit in one go, and
// moves the branch only from where the commit began: a push at the same time is not overwritten.

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "git/git_tree.h"
#include "git/repositories.h"
#include "git/repository_concurrency.h"

namespace viv::git {
namespace {

constexpr std::size_t kCommitFilesMax = 1000;
constexpr std::size_t kCommitBytesMax = 256 * 1024 * 1024;
constexpr std::size_t kCommitMessageMax = 64 * 1024;
constexpr int kCommitAttempts = 4;

Status CheckCommit(const std::vector<Repositories::NewFile>& files, const std::string& message) {
  if (files.empty()) return Fail(ErrorCode::kInvalidArgument, "a commit needs a file");
  if (files.size() > kCommitFilesMax)
    return Fail(ErrorCode::kLimitExceeded, "a commit takes at most 1000 files");
  if (message.size() > kCommitMessageMax || message.find('\0') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, "message: text of at most 64 KiB is expected");
  std::size_t bytes = 0;
  for (const auto& file : files) {
    RETURN_IF_ERROR(CheckWritablePath(file.path));
    bytes += file.bytes.size();
  }
  if (bytes > kCommitBytesMax)
    return Fail(ErrorCode::kLimitExceeded, "a commit takes at most 256 MiB: push instead");
  return {};
}

// In quotes, with every unusual byte as an octal escape.
std::string QuotedPath(std::string_view path) {
  std::string text = "\"";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
      continue;
    }
    text += '\\';
    for (int shift : {6, 3, 0}) text += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return text + '"';
}

std::string DataLine(std::string_view bytes) {
  std::string text = "data " + std::to_string(bytes.size()) + "\n";
  text += bytes;
  return text + "\n";
}

struct CommitTarget {
  std::string branch;
  std::string parent;  // empty: it is the first
};

std::string CommitStream(const std::vector<Repositories::NewFile>& files,
                         const std::string& message,
                         const CommitTarget& place) {
  std::string stream;
  std::size_t bytes = 0;
  for (const auto& file : files) bytes += file.bytes.size() + 4 * file.path.size() + 128;
  stream.reserve(bytes + message.size() + 1024);
  for (std::size_t i = 0; i < files.size(); ++i) {
    stream += "blob\nmark :" + std::to_string(i + 1) + "\n";
    stream += DataLine(files[i].bytes);
  }
  stream += "commit " + place.branch + "\ncommitter Vivarium <vivarium@localhost> " +
            std::to_string(NowMs() / 1000) + " +0000\n";
  stream += DataLine(message.empty() ? "Update files" : message);
  if (!place.parent.empty()) stream += "from " + place.parent + "\n";
  for (std::size_t i = 0; i < files.size(); ++i)
    stream += "M 100644 :" + std::to_string(i + 1) + " " + QuotedPath(files[i].path) + "\n";
  stream += "\n";
  for (std::size_t i = 0; i < files.size(); ++i)
    stream += "get-mark :" + std::to_string(i + 1) + "\n";
  return stream + "done\n";
}

}  // namespace

Task<Result<std::vector<std::string>>> Repositories::TryCommit(std::string account_id,
                                                               const std::vector<NewFile>& files,
                                                               const std::string& message) {
  CommitTarget place;
  ASSIGN_OR_CO_RETURN(place.parent, co_await HeadCommit(account_id));
  Command ask;
  ask.arguments = {"symbolic-ref", "HEAD"};
  ASSIGN_OR_CO_RETURN(CommandOutput head, co_await Run(account_id, std::move(ask)));
  place.branch = Trim(head.output);
  Command import;
  import.arguments = {"fast-import", "--quiet", "--done", "--date-format=raw"};
  import.input = CommitStream(files, message, place);
  import.output_bytes_max = kCommitFilesMax * 65;
  import.may_fail = true;
  ASSIGN_OR_CO_RETURN(CommandOutput answer, co_await Run(account_id, std::move(import)));
  if (answer.exit_code == 1)
    co_return Fail(ErrorCode::kConflict, "the branch moved during the commit: try again");
  std::vector<std::string> shas;
  for (std::string_view sha : Split(Trim(answer.output), '\n')) shas.emplace_back(sha);
  if (answer.exit_code != 0 || shas.size() != files.size())
    co_return Fail(ErrorCode::kInternal, "git fast-import: it failed");
  co_return shas;
}

Task<Result<std::vector<std::string>>> Repositories::Commit(std::string account_id,
                                                            std::vector<NewFile> files,
                                                            std::string message) {
  CO_RETURN_IF_ERROR(CheckCommit(files, message));
  AsyncMutex::Lock turn = co_await concurrency_->LockOf(account_id).Acquire();
  std::int64_t bytes = 0;
  for (const NewFile& file : files) bytes += static_cast<std::int64_t>(file.bytes.size());
  ASSIGN_OR_CO_RETURN(const std::int64_t room, co_await BytesLeft(account_id));
  if (bytes > room - concurrency_->reservations.of(account_id))
    co_return Fail(
        ErrorCode::kLimitExceeded,
        "repository storage limit of this account: the commit is larger than what is left");
  for (int attempt = 1;; ++attempt) {
    Result<std::vector<std::string>> made = co_await TryCommit(account_id, files, message);
    // Only a push can come between: commits have their turns.
    bool lost = !made && made.error().code == ErrorCode::kConflict;
    if (!lost || attempt == kCommitAttempts) co_return made;
  }
}

}  // namespace viv::git
