#pragma once
// Puts the entries of a hostile archive into a folder. Every folder on the way is opened beneath
// the root without following links; a name that is taken is replaced, never written through.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "templates/folder_writer.h"

namespace viv::templates {

struct EntryStatus {
  mode_t mode = 0;
  std::int64_t user = 0;
  std::int64_t group = 0;
  std::int64_t modified = 0;  // seconds since 1970
};

class LayerWriter {
 public:
  static Result<LayerWriter> Open(const std::string& root);

  // The folder named by `parts`; those that are missing are made.
  Result<UniqueFd> OpenParent(const std::vector<std::string>& parts) const;

  Status Folder(int parent, const std::string& name, const EntryStatus& status) const;
  Status Link(int parent,
              const std::string& name,
              const std::string& target,
              const EntryStatus& status) const;
  Status HardLink(int parent,
                  const std::string& name,
                  const std::vector<std::string>& target) const;
  Result<UniqueFd> NewFile(int parent, const std::string& name) const;
  // What ".wh." stood before: a name to hide, or ".wh..opq" for all of the folder.
  Status Whiteout(int parent, const std::string& name) const;

  static Status Finish(int file, const EntryStatus& status);  // owner, mode and time of a new file
  static Status SetCapabilities(int file, const void* value, std::size_t size);

 private:
  explicit LayerWriter(UniqueFd root) : root_(std::move(root)) {}
  Result<UniqueFd> OpenBeneath(const std::string& path) const;
  Status ClearName(int parent, const std::string& name) const;

  UniqueFd root_;
};

}  // namespace viv::templates
