#include "local/workspace_layers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/ids.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "local/local_servers.h"
#include "local/workspace_content.h"
#include "storage/tree.h"
#include "templates/folder_writer.h"

namespace viv::local {
namespace {

// Raised when what is written here changes, so that older layers are made anew.
constexpr int kWorkspaceVersion = 1;
constexpr std::string_view kUnfinishedLayer = ".part-";
constexpr std::string_view kDefaultProfile = "default";

// Layers lie in DATA/local/trees/KEY/layer: this is how BoxLayers knows a template's folder, so
// that snapshots hold these as they hold a template's.
constexpr char kTreesFolder[] = "/trees";
constexpr char kLayerName[] = "/layer";

std::string KeyOf(std::string_view kind, const std::string& description) {
  return std::string(kind) + "-" +
         Sha256Hex(std::to_string(kWorkspaceVersion) + "\n" + description).substr(0, 24);
}

std::string FolderOf(std::string_view profile) {
  return std::string(profile.empty() ? kDefaultProfile : profile);
}

bool IsFolder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void RemoveVersion(const std::string& trees, const std::string& name) {
  const UniqueFd parent(::open(trees.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Status removed = storage::RemoveTree(parent.get(), name);
  if (!removed)
    log::Warn("workspace.layer_not_removed",
              {{"layer", trees + "/" + name}, {"error", removed.error().message}});
}

std::vector<std::string> VersionsIn(const std::string& trees) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(trees, error))
    names.push_back(entry.path().filename());
  return names;
}

// A folder of the operator's that is no profile is likely a misspelt one.
void WarnOfStrangers(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!entry.is_directory(error) || name == kDefaultProfile || (IsProfile(name) && !name.empty()))
      continue;
    log::Warn("workspace.unknown_profile", {{"folder", entry.path().string()}});
  }
}

}  // namespace

bool IsProfile(std::string_view name) {
  return name.empty() ||
         std::find(std::begin(kProfiles), std::end(kProfiles), name) != std::end(kProfiles);
}

Result<std::unique_ptr<WorkspaceLayers>> WorkspaceLayers::Open(const std::string& folder,
                                                               Options options) {
  std::error_code error;
  std::filesystem::create_directories(folder + kTreesFolder, error);
  const std::string real = std::filesystem::canonical(folder, error);
  if (error) return Fail(ErrorCode::kUnavailable, "make " + folder + ": " + error.message());
  // Ids in there are a box's, which mean somebody else on the host.
  if (::chmod(real.c_str(), 0700) != 0) return templates::FailSystem("close " + real);
  std::unique_ptr<WorkspaceLayers> layers(new WorkspaceLayers(real));
  layers->RemoveUnfinished();
  RETURN_IF_ERROR(layers->MakeProgram(options.viv_tools), "local servers");

  std::vector<std::string> sources;  // the first that has a profile's folder gives its content
  if (!options.operator_data.empty()) {
    if (!IsFolder(options.operator_data)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "local data: " + options.operator_data +
                      " is no folder; it shall hold one for each profile");
    }
    WarnOfStrangers(options.operator_data);
    sources.push_back(options.operator_data);
  }
  if (!options.builtin_profiles.empty()) sources.push_back(options.builtin_profiles);
  RETURN_IF_ERROR(layers->MakeProfile("", sources), "local data");
  for (std::string_view profile : kProfiles)
    RETURN_IF_ERROR(layers->MakeProfile(profile, sources), "local data");
  return layers;
}

std::vector<storage::OverlayMount> WorkspaceLayers::Overlays(std::string_view profile) const {
  const auto found = data_.find(std::string(IsProfile(profile) ? profile : ""));
  return {storage::OverlayMount{.mount_point = "", .layers = {program_}},
          storage::OverlayMount{.mount_point = std::string(kWorkspace.substr(1)),
                                .layers = {found->second}}};
}

// Complete before it has its name, so that a killed server leaves no half of a layer.
Result<std::string> WorkspaceLayers::Make(const std::string& key, const Fill& fill) const {
  const std::string trees = folder_ + kTreesFolder;
  const std::string version = trees + "/" + key;
  if (IsFolder(version + kLayerName)) return version + kLayerName;
  const std::string part_name = std::string(kUnfinishedLayer) + key;
  const std::string part = trees + "/" + part_name;
  if (::mkdir(part.c_str(), 0755) != 0) return templates::FailSystem("make " + part);
  Status filled = fill(part + kLayerName);
  if (filled && ::rename(part.c_str(), version.c_str()) != 0)
    filled = templates::FailSystem("rename " + part);
  if (filled) return version + kLayerName;
  RemoveVersion(trees, part_name);
  return PassUp(std::move(filled).error());
}

Status WorkspaceLayers::MakeProgram(const std::string& viv_tools) {
  struct stat status {};
  if (::stat(viv_tools.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Fail(ErrorCode::kUnavailable,
                "there is no viv-tools at '" + viv_tools +
                    "': put it beside viv, or say where it is with --tools");
  }
  const std::string key =
      KeyOf("tools", fmt::format("{} {} {}.{}", status.st_size, status.st_ino,
                                 status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  const Fill fill = [&](const std::string& into) -> Status {
    ASSIGN_OR_RETURN(const templates::FolderWriter root, templates::FolderWriter::Create(into));
    RETURN_IF_ERROR(root.Folder("opt/vivarium"));
    RETURN_IF_ERROR(root.Folder(std::string(kWorkspace.substr(1))));  // the mount point
    const std::string copy = into + std::string(kLocalToolsPath);
    std::error_code error;
    std::filesystem::copy_file(viv_tools, copy, error);
    if (error) return Fail(ErrorCode::kUnavailable, "copy " + viv_tools + ": " + error.message());
    if (::chown(copy.c_str(), 0, 0) != 0 || ::chmod(copy.c_str(), 0755) != 0)
      return templates::FailSystem("open up " + copy);
    return {};
  };
  ASSIGN_OR_RETURN(program_, Make(key, fill));
  return {};
}

Status WorkspaceLayers::MakeProfile(std::string_view profile,
                                    const std::vector<std::string>& sources) {
  std::string source;
  std::vector<ContentEntry> entries;
  for (const std::string& folder : sources) {
    source = folder + "/" + FolderOf(profile);
    if (!IsFolder(source)) continue;
    ASSIGN_OR_RETURN(entries, ListContent(source));
    break;
  }
  std::string description = DescribeContent(entries);
  const bool has_history = std::any_of(
      entries.begin(), entries.end(),
      [](const ContentEntry& entry) { return entry.kind == ContentEntry::Kind::kHistory; });
  if (has_history) description += CanMakeRepositories() ? "with git\n" : "without git\n";
  const Fill fill = [&](const std::string& into) { return CopyContent(source, entries, into); };
  ASSIGN_OR_RETURN(data_[std::string(profile)], Make(KeyOf("data", description), fill));
  return {};
}

void WorkspaceLayers::RemoveUnfinished() const {
  const std::string trees = folder_ + kTreesFolder;
  for (const std::string& name : VersionsIn(trees))
    if (name.starts_with(kUnfinishedLayer)) RemoveVersion(trees, name);
}

void WorkspaceLayers::Clean(const std::function<bool(const std::string& folder)>& is_used) const {
  const std::string trees = folder_ + kTreesFolder;
  std::set<std::string> current = {program_};
  for (const auto& [profile, layer] : data_) current.insert(layer);
  for (const std::string& name : VersionsIn(trees)) {
    const std::string version = trees + "/" + name;
    if (current.contains(version + kLayerName) || is_used(version)) continue;
    RemoveVersion(trees, name);
  }
}

}  // namespace viv::local
