#pragma once
// What a local sandbox has on top of its template: the program with the local MCP servers, and the
// workspace /data with the content of a benchmark's profile. Both are layers below DATA/local, made
// once and shared by all boxes. A layer is named by a fingerprint of what it was made from and
// appears complete; when the program or the data changed, the next start makes a new one beside it,
// and the old one is removed when no box uses it. Does not change after Open; thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/overlay.h"

namespace viv::local {

// The benchmarks with a profile. No benchmark is the profile "", whose folder is called "default".
inline constexpr std::string_view kProfiles[] = {"MCP_Atlas", "Toolathlon", "MCP_Mark"};
bool IsProfile(std::string_view name);  // one of them, or ""

class WorkspaceLayers {
 public:
  struct Options {
    std::string viv_tools;         // the program's path
    std::string builtin_profiles;  // a folder per profile; empty: there are none, /data is empty
    std::string operator_data;     // the same, of the operator: takes the built-in one's place
  };

  // Makes what is missing below `folder` (DATA/local). Content that has no business in a workspace,
  // such as a device or a link that leads out of it, is refused by its name.
  static Result<std::unique_ptr<WorkspaceLayers>> Open(const std::string& folder, Options options);

  // To be put on top of a template's: the overlay "" has the program, the overlay "data" the
  // workspace. A name that is no profile has the content of "".
  std::vector<storage::OverlayMount> Overlays(std::string_view profile) const;

  // Removes the versions that are not in use any more. `is_used` is asked for each old one, with
  // its folder: BoxManager::UsesFolder.
  void Clean(const std::function<bool(const std::string& folder)>& is_used) const;

 private:
  explicit WorkspaceLayers(std::string folder) : folder_(std::move(folder)) {}

  using Fill = std::function<Status(const std::string& into)>;
  Result<std::string> Make(const std::string& key, const Fill& fill) const;
  Status MakeProgram(const std::string& viv_tools);
  Status MakeProfile(std::string_view profile, const std::vector<std::string>& sources);
  void RemoveUnfinished() const;

  const std::string folder_;                 // canonical
  std::string program_;                      // the layer with viv-tools
  std::map<std::string, std::string> data_;  // by profile: the workspace's layer
};

}  // namespace viv::local
