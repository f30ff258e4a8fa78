#pragma once
// The file that holds the graph. It is read anew for every call, since others (an upload, a
// terminal) may change it; a change is made under a lock on its folder, which other processes of
// this program heed, and replaces the file as a whole.

#include <functional>
#include <string>

#include "tools/kit/workspace.h"
#include "tools/localmemory/graph.h"

namespace viv::tools::localmemory {

class MemoryFile {
 public:
  // `below` is the path within the workspace; folders that are missing are made on the first
  // change.
  MemoryFile(std::string workspace, std::string below);

  Result<Graph> Read() const;  // an empty graph when there is no file
  // Reads, lets `change` work on the graph, and writes it back unless that failed.
  Status Change(const std::function<Status(Graph&)>& change) const;

 private:
  std::string Path() const { return workspace_.root() + "/" + below_; }
  Result<UniqueFd> LockFolder() const;

  Workspace workspace_;
  std::string below_;
};

}  // namespace viv::tools::localmemory
