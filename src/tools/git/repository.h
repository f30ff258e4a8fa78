#pragma once
// A repository that a call names, and git run in it. Git neither asks nor pages, runs no hooks, and
// does not care who owns the files; it always knows who commits. Failures read as GitPython words
// them, which agents know.

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/kit/workspace.h"

namespace viv::tools::git {

class Repository {
 public:
  // The path itself must be a repository: its parents are not searched. The error's text is the
  // absolute path.
  static Result<Repository> Open(const Workspace& workspace,
                                 const std::string& path,
                                 const std::atomic<bool>& cancelled);

  const std::string& folder() const { return folder_; }  // where git runs: the working tree

  // What git says on its output, without the last line end. `arguments` come after "git".
  Result<std::string> Git(const std::vector<std::string>& arguments,
                          const std::string& input = "") const;
  // The same for output that programs read: kept as it is, and too much of it is an error.
  Result<std::string> GitExact(const std::vector<std::string>& arguments,
                               const std::string& input = "") const;
  // Says who commits: who the configuration names, else the user of the box.
  void SetIdentity();

 private:
  Repository(std::string folder, const std::atomic<bool>& cancelled)
      : folder_(std::move(folder)), cancelled_(&cancelled) {}

  std::string folder_;
  const std::atomic<bool>* cancelled_;
  std::vector<std::pair<std::string, std::string>> identity_;
};

}  // namespace viv::tools::git
