#pragma once
// Which paths the file tools may touch: those within the allowed directories of the configuration,
// by their spelling and by where their links lead. Errors are worded for the agent.

#include <string>
#include <string_view>

#include "tools/desktop_commander/config.h"
#include "tools/kit/workspace.h"

namespace viv::tools::commander {

// A path that may be used: real within a directory that holds it.
struct AllowedPath {
  Workspace directory;
  std::string real;
};

class AllowedFolders {
 public:
  AllowedFolders(const Config& config, std::string workspace)
      : config_(config), workspace_(std::move(workspace)) {}

  // Where an existing path leads; `call` is what a message says was tried: "stat", "open".
  Result<AllowedPath> Existing(std::string_view path, std::string_view call) const;
  // The same for one that may not be there yet; its folder must be.
  Result<AllowedPath> ForNew(std::string_view path, std::string_view call) const;
  // Makes a folder and those above it.
  Status MakeFolder(std::string_view path) const;

  std::string Absolute(std::string_view path) const { return workspace_.Absolute(path); }

 private:
  Result<Workspace> DirectoryOf(std::string_view path) const;
  Error Refusal(std::string_view path) const;

  const Config& config_;
  const Workspace workspace_;
};

// Opens what Existing or ForNew gave; the error is Node's text.
Result<UniqueFd> OpenAllowed(const AllowedPath& allowed, int flags, std::string_view call);
// A regular file, for reading; what is none is refused, so that no pipe makes us wait.
Result<UniqueFd> OpenFile(const AllowedPath& allowed, std::string_view call);

}  // namespace viv::tools::commander
