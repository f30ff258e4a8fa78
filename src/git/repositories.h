#pragma once
// A git repository per account: bare, on this machine, which plain `git` clients use over HTTP.
// Pushed content is not trusted: git works on it as nobody, with limits, without hooks and without
// the machine's own configuration. Thread-safe; every call needs an account id of letters, digits,
// '-' and '_', for it names the folder.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::git {

struct GitExchange;

class Repositories {
 public:
  // `folder` holds one bare repository per account; it is made when absent. All given outlives it.
  Repositories(std::string folder, BlockingPool& pool);
  ~Repositories();

  // How many bytes the repository may have at most that has `used` now; asked before each push and
  // commit. Set before the first of them.
  using Quota = std::function<std::int64_t(std::string_view account_id, std::int64_t used)>;
  void SetQuota(Quota quota) { quota_ = std::move(quota); }
  Task<Result<std::int64_t>> Size(std::string account_id);  // in bytes; 0 without a repository

  bool Has(std::string_view account_id) const;
  Task<Status> Make(std::string account_id);    // fine when it is there
  Task<Status> Remove(std::string account_id);  // fine when there is none

  struct TreeEntry {
    std::string path;  // as pushed: any bytes, not always UTF-8
    bool is_folder = false;
    std::string sha;
    std::optional<std::int64_t> size;  // of files
  };
  // Of the default branch, recursive; nothing in an empty repository. kNotFound without one.
  Task<Result<std::vector<TreeEntry>>> Tree(std::string account_id);
  // Of the default branch, up to 32 MiB. kNotFound without the repository or the file,
  // kInvalidArgument for a folder. A symbolic link is the text it has.
  Task<Result<std::string>> ReadFile(std::string account_id, std::string path);

  struct NewFile {
    std::string path;  // no "..", not absolute, nothing below ".git"
    std::string bytes;
  };
  // One commit on the default branch; the blobs' shas in order.
  Task<Result<std::vector<std::string>>> Commit(std::string account_id,
                                                std::vector<NewFile> files,
                                                std::string message);

  // Git's smart HTTP: GET info/refs, POST git-upload-pack and git-receive-pack; `rest` is the path
  // behind the repository's own. Bodies stream both ways.
  Task<http::Response> Serve(std::string account_id, std::string rest, http::Request& request);

 private:
  struct Concurrency;  // locks, and limits on concurrent git processes

  std::string FolderOf(std::string_view account_id) const;
  struct Command {
    std::vector<std::string> arguments;
    std::string input = {};
    std::size_t output_bytes_max = 64 * 1024;
    std::chrono::seconds deadline{60};
    bool may_fail = false;  // a non-zero exit code is a result too
  };
  struct CommandOutput {
    int exit_code = 0;
    std::string output;
  };
  Task<Result<CommandOutput>> Run(std::string account_id, Command command);
  Task<Status> MakeFolder(std::string account_id);
  Task<Result<std::string>> HeadCommit(std::string account_id);  // empty when there is none
  Task<Result<std::vector<std::string>>> TryCommit(std::string account_id,
                                                   const std::vector<NewFile>& files,
                                                   const std::string& message);
  // How many further bytes the repository may have; kLimitExceeded when there are none.
  Task<Result<std::int64_t>> BytesLeft(std::string account_id);
  // Points HEAD at a branch that exists: the first push decides which branch is the default.
  Task<Status> UpdateHead(std::string account_id);
  Task<Status> Begin(GitExchange& exchange, http::Request& request);
  Task<http::Response> Respond(std::shared_ptr<GitExchange> exchange);
  Task<void> Stream(std::shared_ptr<GitExchange> exchange, http::BodyWriter& writer);

  const std::string folder_;
  BlockingPool& pool_;
  Quota quota_;
  std::unique_ptr<Concurrency> concurrency_;
};

}  // namespace viv::git
