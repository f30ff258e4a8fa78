#pragma once
// Where a PDF lies that an agent names by a path or a URL. A URL is fetched once into a folder of
// the workspace, whose index says which file holds which URL; the index is the agent's to change,
// so it is believed only for files of that folder. Errors are worded for the agent.

#include <atomic>
#include <mutex>
#include <string>

#include "base/result.h"
#include "tools/kit/workspace.h"

namespace viv::tools::pdf {

class Documents {
 public:
  explicit Documents(std::string workspace) : workspace_(std::move(workspace)) {}

  // What to give to a program. `cannot` begins the message when a URL cannot be had.
  Result<std::string> Locate(const std::string& name,
                             std::string_view cannot,
                             const std::atomic<bool>& cancelled);
  // For a file to be written: kPermissionDenied with the whole message, kNotFound for its folder.
  Result<std::string> LocateNew(const std::string& name) const;

  const Workspace& workspace() const { return workspace_; }

 private:
  Result<std::string> Download(const std::string& url, const std::atomic<bool>& cancelled);
  std::string Outside(const std::string& name) const;

  const Workspace workspace_;
  std::mutex mutex_;  // one download at a time, and one writer of the index
};

// "[Errno 2] No such file or directory: 'x'"
std::string PythonMissing(const std::string& name);

}  // namespace viv::tools::pdf
