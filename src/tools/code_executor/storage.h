#pragma once
// Where code files lie: a folder of the workspace, made when the first file is written. Nothing is
// read or written outside the workspace.

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/kit/workspace.h"

namespace viv::tools::code_executor {

class Storage {
 public:
  Storage(Workspace workspace, std::string folder)
      : workspace_(std::move(workspace)), folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  // "NAME_1a2b3c4d.py", or "code_1a2b3c4d.py" without a name.
  static std::string FreshName(std::string_view wanted);
  // Where a file of that name lies in the folder.
  std::string PathOf(std::string_view name) const;

  Status Create(const std::string& path, std::string_view content) const;
  Status Append(const std::string& path, std::string_view content) const;
  Result<std::string> Read(const std::string& path) const;

  // The real place of a file that an agent names: by its full path, or relative to the workspace or
  // to the folder. The error reads as Node's: "ENOENT: no such file or directory, access 'x.py'".
  Result<std::string> Find(const std::string& path) const;
  // Makes the folder and gives its real path.
  Result<std::string> MakeFolder() const;

 private:
  Workspace workspace_;
  std::string folder_;
};

}  // namespace viv::tools::code_executor
