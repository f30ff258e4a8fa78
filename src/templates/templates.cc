#include "templates/templates.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "templates/base.h"
#include "templates/box_user.h"
#include "templates/debian.h"
#include "templates/folder_writer.h"
#include "templates/oci_image.h"
#include "templates/template_record.h"
#include "templates/trust.h"

namespace viv::templates {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaseName = "base";
constexpr std::string_view kUnfinished = ".part-";
constexpr std::string_view kTrustFolder = "trust-";  // and the key, in a template's folder

void RemoveFolder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error)
    log::Warn("templates.folder_not_removed", {{"folder", path}, {"error", error.message()}});
}

// DIR/records/ID.json says what there is; DIR/trees/X holds the layers of one of them, and is
// called .part-X until they are complete. The layers by which boxes trust our authority lie there
// too and are not in the record: they change when the authority does.
class DiskTemplates final : public Templates {
 public:
  explicit DiskTemplates(std::string directory) : directory_(std::move(directory)) {}

  Status Start() {
    if (geteuid() != 0)
      return Fail(ErrorCode::kUnavailable, "templates hold files of several owners: run as root");
    for (const char* folder : {"/records", "/trees"}) {
      std::error_code error;
      fs::create_directories(directory_ + folder, error);
      if (error)
        return Fail(ErrorCode::kInternal, "make " + directory_ + folder + ": " + error.message());
    }
    // Images contain setuid programs, and their ids are not the host's: no other user may enter the
    // folder.
    if (chmod(directory_.c_str(), 0700) != 0) return FailSystem("close " + directory_);
    for (const auto& entry : fs::directory_iterator(directory_ + "/trees")) {
      if (entry.path().filename().string().starts_with(kUnfinished)) RemoveFolder(entry.path());
    }
    LoadRecords();
    return RefreshBase();
  }

  Status TrustAuthority(const std::string& authority_pem) override {
    std::vector<TemplateRecord> records;
    {
      const std::lock_guard lock(mutex_);
      authority_pem_ = authority_pem;
      for (const auto& [id, record] : records_) records.push_back(record);
    }
    for (const TemplateRecord& record : records) {
      if (Status made = MakeTrust(record); !made)
        log::Warn("templates.not_trusting",
                  {{"template", record.made.name}, {"error", made.error().message}});
    }
    return {};
  }

  std::vector<Template> List() const override {
    const std::lock_guard lock(mutex_);
    std::vector<Template> all;
    for (const auto& [id, record] : records_) all.push_back(ShownLocked(record));
    std::sort(all.begin(), all.end(),
              [](const Template& a, const Template& b) { return a.name < b.name; });
    return all;
  }

  Result<Template> Find(const std::string& id_or_name) const override {
    const std::lock_guard lock(mutex_);
    if (const auto* record = FindRecord(id_or_name)) return ShownLocked(*record);
    return Fail(ErrorCode::kNotFound, "there is no template '" + id_or_name.substr(0, 128) + "'");
  }

  Result<Template> BuildDebian(const std::string& name,
                               DebianOptions options,
                               Progress progress) override {
    return Build(name, "debian " + options.suite,
                 [&](const std::string& folder, Template& made) -> Status {
                   const std::string root = folder + "/root";
                   RETURN_IF_ERROR(BootstrapDebian(root, options, progress));
                   return Finish(folder, {root}, "", progress, made);
                 });
  }

  Result<Template> ImportOciArchive(const std::string& name,
                                    const std::string& file,
                                    Progress progress) override {
    return Build(name, "oci-archive", [&](const std::string& folder, Template& made) -> Status {
      const std::string layout = folder + "/layout";
      ReportProgress(progress, "Reading " + file);
      RETURN_IF_ERROR(UnpackOciArchive(file, layout));
      RETURN_IF_ERROR(UseImage(folder, layout, progress, made));
      RemoveFolder(layout);
      return {};
    });
  }

  Result<Template> ImportOciLayout(const std::string& name,
                                   const std::string& layout,
                                   Progress progress) override {
    return Build(name, "oci-layout", [&](const std::string& folder, Template& made) {
      return UseImage(folder, layout, progress, made);
    });
  }

  Status Remove(const std::string& id_or_name) override {
    const std::lock_guard lock(mutex_);
    const TemplateRecord* record = FindRecord(id_or_name);
    if (record == nullptr)
      return Fail(ErrorCode::kNotFound, "there is no template '" + id_or_name.substr(0, 128) + "'");
    if (record->made.name == kBaseName)
      return Fail(ErrorCode::kPermissionDenied, "'base' is built in");
    const std::string id = record->made.id;
    if (unlink(RecordPath(id).c_str()) != 0) return FailSystem("remove the record of " + id);
    trust_.erase(record->folder);
    records_.erase(id);
    return {};
  }

  void Clean(const std::function<bool(const std::string& folder)>& is_used) override {
    std::error_code error;
    std::vector<std::string> folders, old_trust;
    {
      const std::lock_guard lock(mutex_);
      std::set<std::string> kept;
      for (const auto& [id, record] : records_) kept.insert(record.folder);
      for (const auto& entry : fs::directory_iterator(directory_ + "/trees", error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kUnfinished) && !kept.contains(entry.path()))
          folders.push_back(entry.path());
      }
      old_trust = OldTrustLocked();
    }
    for (const std::string& folder : old_trust)
      if (!is_used(folder)) RemoveFolder(folder);
    // No box can start from these any more, because no record names them.
    for (const std::string& folder : folders) {
      bool used = false;
      for (const auto& layer : fs::directory_iterator(folder, error))
        used = used || is_used(layer.path());
      if (!used) RemoveFolder(folder);
    }
  }

 private:
  static void ReportProgress(const Progress& progress, const std::string& line) {
    if (progress) progress(line);
  }

  std::string RecordPath(const std::string& id) const {
    return directory_ + "/records/" + id + ".json";
  }

  void LoadRecords() {
    for (const auto& entry : fs::directory_iterator(directory_ + "/records")) {
      if (entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path());
      std::ostringstream text;
      text << file.rdbuf();
      auto record = ReadRecord(text.str());
      if (record && entry.path().stem() == record->made.id) {
        records_.emplace(record->made.id, std::move(*record));
      } else {
        log::Warn("templates.record_unreadable",
                  {{"file", entry.path().string()},
                   {"error", record ? "another id" : record.error().message}});
      }
    }
  }

  const TemplateRecord* FindRecord(const std::string& id_or_name) const {
    if (const auto found = records_.find(id_or_name); found != records_.end())
      return &found->second;
    for (const auto& [id, record] : records_) {
      if (record.made.name == id_or_name) return &record;
    }
    return nullptr;
  }

  // A template of that name keeps its id, and what it stood for until now, until the new one is
  // there.
  std::string IdFor(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (const TemplateRecord* record = FindRecord(name); record && record->made.name == name)
      return record->made.id;
    return name == kBaseName ? TemplateIdOfName(name) : RandomTemplateId();
  }

  template <typename Fill>
  Result<Template> Build(const std::string& name, const std::string& source, Fill fill) {
    if (!IsTemplateName(name))
      return Fail(ErrorCode::kInvalidArgument,
                  "a template's name is up to 128 of a-z, 0-9, '.', '_' and '-'");
    if (name == kBaseName)
      return Fail(ErrorCode::kConflict, "'base' is built in: choose another name");
    return Make(name, source, "", fill);
  }

  // Layers are written where they are found later, so their paths can be kept; only the record
  // makes them a template.
  template <typename Fill>
  Result<Template> Make(const std::string& name,
                        const std::string& source,
                        const std::string& fingerprint,
                        Fill fill) {
    const std::string key = RandomHex(20);
    const std::string unfinished = directory_ + "/trees/" + std::string(kUnfinished) + key;
    TemplateRecord record{
        .made = {}, .folder = directory_ + "/trees/" + key, .fingerprint = fingerprint};
    record.made.id = IdFor(name);
    record.made.name = name;
    record.made.source = source;
    record.made.created_at_us = NowMicros();
    auto run = [&]() -> Status {
      if (mkdir(unfinished.c_str(), 0755) != 0) return FailSystem("make " + unfinished);
      RETURN_IF_ERROR(fill(unfinished, record.made));
      for (storage::OverlayMount& overlay : record.made.overlays) {
        for (std::string& layer : overlay.layers) {
          if (layer.starts_with(unfinished))
            layer = record.folder + layer.substr(unfinished.size());
        }
      }
      if (rename(unfinished.c_str(), record.folder.c_str()) != 0)
        return FailSystem("keep " + record.folder);
      RETURN_IF_ERROR(MakeTrust(record));
      return Keep(record);
    };
    if (Status made = run(); !made) {
      RemoveFolder(unfinished);
      RemoveFolder(record.folder);
      return PassUp(std::move(made).error(), "make template '" + name + "'");
    }
    const std::lock_guard lock(mutex_);
    return ShownLocked(record);
  }

  // The layers of a template that make its boxes trust our authority, unless they are there.
  Status MakeTrust(const TemplateRecord& record) {
    std::string pem;
    {
      const std::lock_guard lock(mutex_);
      pem = authority_pem_;
    }
    if (pem.empty()) return {};
    const std::string folder = record.folder + "/" + std::string(kTrustFolder) + TrustKey(pem);
    if (access(folder.c_str(), F_OK) != 0) {
      const std::string unfinished = record.folder + "/" + std::string(kUnfinished) + "trust";
      RemoveFolder(unfinished);
      RETURN_IF_ERROR(MakeTrustLayers(unfinished, record.made.overlays, record.folder, pem));
      if (rename(unfinished.c_str(), folder.c_str()) != 0) return FailSystem("keep " + folder);
    }
    const std::lock_guard lock(mutex_);
    trust_[record.folder] = {folder, WithTrustLayers(folder, record.made.overlays, record.folder)};
    return {};
  }

  Template ShownLocked(const TemplateRecord& record) const {
    Template shown = record.made;
    if (const auto found = trust_.find(record.folder); found != trust_.end())
      shown.overlays = found->second.overlays;
    return shown;
  }

  // Of an authority before this one.
  std::vector<std::string> OldTrustLocked() const {
    std::vector<std::string> old;
    for (const auto& [folder, current] : trust_) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(kTrustFolder) &&
            entry.path() != current.folder)
          old.push_back(entry.path());
      }
    }
    return old;
  }

  Status Keep(TemplateRecord& record) {
    const std::lock_guard lock(mutex_);
    // Another build of the same name may have ended first: one name, one id.
    std::string replaced;
    if (const TemplateRecord* other = FindRecord(record.made.name)) {
      record.made.id = other->made.id;
      replaced = other->folder;
    }
    RETURN_IF_ERROR(SaveFile(RecordPath(record.made.id), WriteRecord(record)));
    trust_.erase(replaced);
    records_.insert_or_assign(record.made.id, record);
    return {};
  }

  Status UseImage(const std::string& folder,
                  const std::string& layout,
                  const Progress& progress,
                  Template& made) {
    const Progress say = [&](const std::string& line) { ReportProgress(progress, line); };
    ASSIGN_OR_RETURN(const OciImage image, UnpackOciLayout(layout, folder, say));
    made.variables = image.config.variables;
    made.workdir = image.config.workdir;
    return Finish(folder, image.layers, image.config.user, progress, made);
  }

  Status Finish(const std::string& folder,
                std::vector<std::string> layers,
                const std::string& asked_user,
                const Progress& progress,
                Template& made) {
    const Progress say = [&](const std::string& line) { ReportProgress(progress, line); };
    ASSIGN_OR_RETURN(const FinishedLayer top,
                     MakeTopLayer(folder + "/top", layers, asked_user, made.id, say));
    layers.insert(layers.begin(), top.folder);
    made.user = top.user;
    made.overlays = {storage::OverlayMount{.mount_point = "", .layers = std::move(layers)}};
    return {};
  }

  Status RefreshBase() {
    const std::string fingerprint = HostFingerprint();
    if (const TemplateRecord* record = FindRecord(kBaseName);
        record != nullptr && record->fingerprint == fingerprint && LayersExist(record->made))
      return {};
    const auto made = Make(
        kBaseName, "host", fingerprint, [](const std::string& folder, Template& base) -> Status {
          ASSIGN_OR_RETURN(BaseOverlays overlays, MakeBase(folder, base.id));
          base.overlays = std::move(overlays.overlays);
          if (!overlays.missing.empty()) {
            std::string names;
            for (const std::string& name : overlays.missing)
              names += (names.empty() ? "" : " ") + name;
            log::Warn("templates.base_lacks_programs",
                      {{"programs", names}, {"advice", "install them on this machine"}});
          }
          return {};
        });
    if (!made) return PassUp(made.error());
    return {};
  }

  static bool LayersExist(const Template& made) {
    for (const storage::OverlayMount& overlay : made.overlays) {
      for (const std::string& layer : overlay.layers) {
        if (access(layer.c_str(), F_OK) != 0) return false;
      }
    }
    return true;
  }

  const std::string directory_;

  mutable std::mutex mutex_;  // guards the ones below, and the records' files
  std::map<std::string, TemplateRecord> records_;
  std::string authority_pem_;  // empty: none is trusted
  struct TrustLayers {
    std::string folder;
    std::vector<storage::OverlayMount> overlays;  // the template's, with those layers
  };
  std::map<std::string, TrustLayers> trust_;  // by the folder of the template
};

}  // namespace

Result<std::unique_ptr<Templates>> Templates::Open(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  const std::string path = fs::canonical(directory, error);
  if (error) return Fail(ErrorCode::kInternal, "make " + directory + ": " + error.message());
  auto templates = std::make_unique<DiskTemplates>(path);
  RETURN_IF_ERROR(templates->Start(), "open the templates in " + path);
  return std::unique_ptr<Templates>(std::move(templates));
}

}  // namespace viv::templates
