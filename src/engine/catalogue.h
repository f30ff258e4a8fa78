#pragma once
// The apps on offer. Folders are read at start and whenever they change; a bad one is reported and
// leaves its last good version in place. Worlds keep the version they were made from: each
// version's folder is copied beside its images, so that it is there after a restart, too.
// Thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/app_loader.h"
#include "engine/comparison.h"
#include "engine/image.h"
#include "engine/image_builder.h"
#include "engine/session.h"

namespace viv::engine {

// One version of an app, ready to make worlds.
struct LoadedApp {
  AppPtr app;
  // By seed file and the clock's mode; "" is the image with nothing but base data, kBareSeed the
  // one without even that.
  std::map<std::pair<std::string, ClockMode>, ImagePtr> images;
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<Comparisons> comparisons;

  const ImagePtr& ImageOf(const Profile& profile) const {
    return images.at({profile.seed, profile.clock});
  }
  const ImagePtr& EmptyImage(const Profile& profile) const {
    return images.at({"", profile.clock});
  }
  const ImagePtr& BareImage(const Profile& profile) const {
    return images.at({std::string(kBareSeed), profile.clock});
  }
  ImagePtr FindImage(std::string_view image_id) const;  // nullptr when it has none of that id
};
using LoadedAppPtr = std::shared_ptr<const LoadedApp>;  // shared by the catalogue and the worlds

class Catalogue {
 public:
  struct Options {
    std::vector<std::string>
        folders;  // each holds app folders; a later one wins over an earlier one of the same name
    std::string data;  // where images and versions are kept
  };
  explicit Catalogue(Options options) : options_(std::move(options)) {}

  struct LoadError {
    std::string app;
    std::string message;  // names file and line
  };
  // Loads what is new or has changed; returns what could not be loaded. Called at start and then
  // periodically.
  std::vector<LoadError> Refresh();

  // The current version, by name or alias, whatever the case; nullptr when there is none.
  LoadedAppPtr Find(std::string_view name) const;
  std::vector<LoadedAppPtr> List() const;  // by name

  // "slack@3f2a…": names a version for good.
  static std::string VersionOf(const App& app);
  Result<LoadedAppPtr> FindVersion(const std::string& version);

  // Removes the stored versions and images that are not current and for which `is_used` is false.
  void RemoveUnused(const std::function<bool(const std::string& version)>& is_used);

 private:
  Result<LoadedAppPtr> Load(const std::string& folder) const;
  Status StoreVersion(const LoadedApp& loaded) const;

  Options options_;
  mutable std::shared_mutex mutex_;               // every request looks here
  std::map<std::string, LoadedAppPtr> current_;   // by lower-case name; guarded, as the rest
  std::map<std::string, LoadedAppPtr> versions_;  // every version in use
  std::map<std::string, std::string> seen_;  // folder → what its files looked like when last read
};

}  // namespace viv::engine
