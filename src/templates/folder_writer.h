#pragma once
// Writes the files of a layer that we make ourselves: modes and owners are exactly as given,
// whatever the umask. Paths are relative to the layer, and only we write to it, so that no link in
// it is foreign.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::templates {

struct Ownership {
  mode_t mode = 0644;
  uid_t user = 0;
  gid_t group = 0;
};

class FolderWriter {
 public:
  static Result<FolderWriter> Create(const std::string& root);  // makes it, 0755 and root's

  const std::string& root() const { return root_; }
  std::string Path(std::string_view path) const { return root_ + "/" + std::string(path); }

  // Folders above are made with 0755. One that is there gets the new ownership.
  Status Folder(const std::string& path, Ownership ownership = {.mode = 0755}) const;
  Status File(const std::string& path, std::string_view text, Ownership ownership = {}) const;
  Status Link(const std::string& path, const std::string& target) const;
  Status Whiteout(const std::string& path) const;  // hides the name in the layers below
  Status MakeOpaque(
      const std::string& path) const;  // hides all that folder has in the layers below

 private:
  explicit FolderWriter(std::string root) : root_(std::move(root)) {}
  Status MakeParents(const std::string& path) const;

  std::string root_;
};

// Marks an open folder as opaque for overlay.
Status SetOpaque(int folder);

// An errno as an Error, with the codes of this module.
tl::unexpected<Error> FailSystem(std::string_view doing, int error = errno);

}  // namespace viv::templates
