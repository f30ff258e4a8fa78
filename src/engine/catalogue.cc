#include "engine/catalogue.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "base/text.h"
#include "engine/image_builder.h"

namespace viv::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestDigits = 16;

// Names, sizes and times of a folder's files: enough to see that something changed, cheap enough to
// ask every second.
std::string Fingerprint(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (error) break;
    struct stat status {};
    if (::stat(entry->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    files.push_back(entry->path().string() + " " + std::to_string(status.st_size) + " " +
                    std::to_string(status.st_mtim.tv_sec) + "." +
                    std::to_string(status.st_mtim.tv_nsec));
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) all += file + "\n";
  return all;
}

std::map<std::string, std::string> FindAppFolders(const std::vector<std::string>& roots) {
  std::map<std::string, std::string> folders;
  for (const std::string& root : roots) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root, error)) {
      if (fs::exists(entry.path() / "app.yaml"))
        folders[entry.path().filename().string()] = entry.path().string();
    }
  }
  return folders;
}

}  // namespace

ImagePtr LoadedApp::FindImage(std::string_view image_id) const {
  for (const auto& [start, image] : images) {
    if (image->id() == image_id) return image;
  }
  return nullptr;
}

std::string Catalogue::VersionOf(const App& app) {
  return app.name + "@" + app.digest.substr(0, kDigestDigits);
}

Result<LoadedAppPtr> Catalogue::Load(const std::string& folder) const {
  auto loaded = std::make_shared<LoadedApp>();
  ASSIGN_OR_RETURN(loaded->app, LoadApp(folder));
  std::string directory = options_.data + "/images";
  for (const Profile& profile : loaded->app->profiles) {
    for (const std::string& seed : {std::string(kBareSeed), std::string(), profile.seed}) {
      ImagePtr& image = loaded->images[{seed, profile.clock}];
      if (image != nullptr) continue;
      ASSIGN_OR_RETURN(image, BuildImage(*loaded->app, seed, profile.clock, directory));
    }
  }
  loaded->sessions = std::make_unique<Sessions>(loaded->app);
  loaded->comparisons = std::make_unique<Comparisons>();
  return LoadedAppPtr(loaded);
}

// A copy of the folder under its version, made whole before it gets its name.
Status Catalogue::StoreVersion(const LoadedApp& loaded) const {
  std::string kept = options_.data + "/apps/" + VersionOf(*loaded.app);
  if (fs::exists(kept)) return {};
  std::string fresh = options_.data + "/apps/.new-" + VersionOf(*loaded.app);
  std::error_code error;
  fs::remove_all(fresh, error);
  fs::create_directories(fresh, error);
  fs::copy(loaded.app->folder, fresh + "/" + loaded.app->name, fs::copy_options::recursive, error);
  if (!error) fs::rename(fresh, kept, error);
  if (error) return Fail(ErrorCode::kUnavailable, "keep " + kept + ": " + error.message());
  return {};
}

std::vector<Catalogue::LoadError> Catalogue::Refresh() {
  std::map<std::string, std::string> folders = FindAppFolders(options_.folders);
  struct Changed {
    std::string name;
    std::string folder;
    std::string looks;
    Result<LoadedAppPtr> loaded = LoadedAppPtr();
  };
  std::vector<Changed> changed;
  for (const auto& [name, folder] : folders) {
    std::string looks = Fingerprint(folder);
    std::shared_lock lock(mutex_);
    auto seen = seen_.find(folder);
    if (seen == seen_.end() || seen->second != looks)
      changed.push_back({name, folder, std::move(looks)});
  }
  // Making images takes most of a first start, and each app's are its own.
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < changed.size(); i = next++) {
      changed[i].loaded = Load(changed[i].folder);
      if (!changed[i].loaded) continue;
      if (Status kept = StoreVersion(**changed[i].loaded); !kept)
        changed[i].loaded = PassUp(kept.error());
    }
  };
  std::vector<std::thread> threads;
  std::size_t helpers = std::min<std::size_t>(changed.size(), std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  std::vector<LoadError> load_errors;
  std::lock_guard lock(mutex_);
  for (Changed& one : changed) {
    seen_[one.folder] = one.looks;
    if (!one.loaded) {
      load_errors.push_back({one.name, one.loaded.error().message});
      continue;
    }
    versions_[VersionOf(*(*one.loaded)->app)] = *one.loaded;
    current_[ToLower(one.name)] = std::move(*one.loaded);
  }
  std::erase_if(current_,
                [&](const auto& one) { return !folders.contains(one.second->app->name); });
  return load_errors;
}

LoadedAppPtr Catalogue::Find(std::string_view name) const {
  std::string lower = ToLower(name);
  std::shared_lock lock(mutex_);
  if (auto found = current_.find(lower); found != current_.end()) return found->second;
  for (const auto& [key, loaded] : current_) {
    for (const std::string& alias : loaded->app->aliases) {
      if (EqualsIgnoreCase(alias, lower)) return loaded;
    }
  }
  return nullptr;
}

std::vector<LoadedAppPtr> Catalogue::List() const {
  std::vector<LoadedAppPtr> list;
  std::shared_lock lock(mutex_);
  for (const auto& [name, loaded] : current_) list.push_back(loaded);
  return list;
}

Result<LoadedAppPtr> Catalogue::FindVersion(const std::string& version) {
  {
    std::shared_lock lock(mutex_);
    if (auto found = versions_.find(version); found != versions_.end()) return found->second;
  }
  std::size_t at = version.find('@');
  if (at == std::string::npos || version.find('/') != std::string::npos) {
    return Fail(ErrorCode::kInternal, "'" + version + "' names no version of an app");
  }
  ASSIGN_OR_RETURN(LoadedAppPtr loaded,
                   Load(options_.data + "/apps/" + version + "/" + version.substr(0, at)));
  std::lock_guard lock(mutex_);
  return versions_.emplace(version, std::move(loaded)).first->second;
}

void Catalogue::RemoveUnused(const std::function<bool(const std::string& version)>& is_used) {
  std::error_code error;
  std::map<std::string, bool> images_in_use;
  std::lock_guard lock(mutex_);
  for (const auto& [name, loaded] : current_) {
    for (const auto& [start, image] : loaded->images) images_in_use[image->id() + ".db"] = true;
  }
  std::vector<fs::path> unused;
  for (const auto& entry : fs::directory_iterator(options_.data + "/apps", error)) {
    std::string version = entry.path().filename().string();
    bool current = std::any_of(current_.begin(), current_.end(), [&](const auto& one) {
      return VersionOf(*one.second->app) == version;
    });
    if (current || is_used(version)) {
      auto loaded = versions_.find(version);
      if (loaded == versions_.end())
        return;  // its images are not known yet: keep everything for now
      for (const auto& [start, image] : loaded->second->images)
        images_in_use[image->id() + ".db"] = true;
    } else {
      versions_.erase(version);
      unused.push_back(entry.path());
    }
  }
  for (const auto& entry : fs::directory_iterator(options_.data + "/images", error)) {
    if (!images_in_use.contains(entry.path().filename().string())) unused.push_back(entry.path());
  }
  for (const fs::path& path : unused) fs::remove_all(path, error);
}

}  // namespace viv::engine
