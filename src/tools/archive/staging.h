#pragma once
// Where an archive is unpacked before it counts: a hidden folder within the one it is meant for,
// since only there a rename moves things at once. When all of it is there and right, it is merged;
// until then the folder around it has not changed. It is removed when it goes out of scope, and one
// that an earlier process left behind is removed by the next.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::tools {

// Names of staging folders begin so; the packer leaves them out.
inline constexpr std::string_view kStagingPrefix = ".viv-unpack-";

class Staging {
 public:
  static Result<Staging> Make(const std::string& folder);
  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  struct Attributes {
    mode_t mode = 0644;
    std::int64_t modified = 0;  // seconds since 1970
  };
  using Parts = std::vector<std::string>;  // of a path; never empty

  Status AddFolder(const Parts& path, Attributes attributes);
  // `target` is one that CheckArchiveMember took.
  Status AddLink(const Parts& path, const std::string& target);
  Status AddHardLink(const Parts& path, const Parts& target);
  Result<UniqueFd> AddFile(const Parts& path);
  static Status FinishFile(int file, Attributes attributes);

  // Refuses links that lead out over other links, gives folders their modes and times, and moves
  // all of it into the folder around. kConflict, before anything has moved, when a file is to
  // replace a folder or the other way round.
  Status Merge();

 private:
  struct Folder {
    std::string path;
    Attributes attributes;
  };
  Staging(std::string path, UniqueFd around, UniqueFd here)
      : path_(std::move(path)), target_(std::move(around)), staging_folder_(std::move(here)) {}
  Result<int> Parent(const Parts& path);
  Status CheckLinks() const;
  void FinishFolders() const;

  std::string path_;  // empty once moved from
  UniqueFd target_, staging_folder_;
  std::string parent_path_;  // the folder opened last: members of one come together
  UniqueFd parent_;
  std::vector<Folder> folders_;
  std::vector<std::string> links_;
};

}  // namespace viv::tools
