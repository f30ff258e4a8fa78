#include "boxes/image_imports.h"

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "accounts/budgets.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/run_to_end.h"
#include "boxes/box_ids.h"
#include "boxes/box_templates.h"
#include "boxes/image_fetch.h"
#include "network/egress.h"
#include "network/namespaces.h"
#include "templates/templates.h"

namespace viv::boxes {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImportThreads = 2;
constexpr std::size_t kImportsMax = 32;
constexpr std::size_t kImportsPerAccountMax = 8;
constexpr std::string_view kUserWhereNoneIsAsked = "user";  // a template's
// A folder and a network namespace for one import; both are removed afterwards.
class ImportEnvironment {
 public:
  static Result<std::unique_ptr<ImportEnvironment>> Make(const ImageImportParts& parts,
                                                         const std::string& folder) {
    std::unique_ptr<ImportEnvironment> environment(new ImportEnvironment(parts));
    environment->name_ = NewKernelName();
    environment->folder_ = folder + "/" + environment->name_;
    std::error_code error;
    fs::create_directory(environment->folder_, error);
    if (error)
      return Fail(ErrorCode::kInternal, "make " + environment->folder_ + ": " + error.message());
    ASSIGN_OR_RETURN(environment->network_, parts.networks.Acquire(), "take a network");
    RETURN_IF_ERROR(
        parts.egress.Open(environment->name_, environment->network_.fd.get(), network::BoxEgress()),
        "open its egress listeners");
    return environment;
  }
  ~ImportEnvironment() {
    if (network_.fd) {
      parts_.egress.Close(name_);
      network_.fd = UniqueFd();
      parts_.networks.Release(network_.name);
    }
    std::error_code error;
    fs::remove_all(folder_, error);
    if (error) log::Warn("import.not_removed", {{"folder", folder_}, {"error", error.message()}});
  }

  const std::string& folder() const { return folder_; }
  int network() const { return network_.fd.get(); }

 private:
  explicit ImportEnvironment(const ImageImportParts& parts) : parts_(parts) {}

  const ImageImportParts& parts_;
  std::string name_;
  std::string folder_;
  network::Namespaces::Handle network_;
};

// What the folders of a template take on the disk.
std::int64_t BytesIn(const std::vector<storage::OverlayMount>& overlays) {
  std::int64_t bytes = 0;
  for (const std::string& folder : TemplateFoldersIn(overlays)) {
    std::error_code error;
    fs::recursive_directory_iterator files(folder, error), end;
    for (; !error && files != end; files.increment(error)) {
      struct stat status {};
      if (::lstat(files->path().c_str(), &status) == 0) bytes += status.st_blocks * 512LL;
    }
  }
  return bytes;
}

SnapshotRecord RecordOfImport(const ImportImage& request, const templates::Template& made) {
  SnapshotRecord record;
  record.id = request.id;
  record.account_id = request.account_id;
  record.name = request.name;
  record.layer = kImageLayer;
  record.overlays = made.overlays;
  record.variables = made.variables;
  record.user = made.user;
  record.workdir = made.workdir;
  record.limits.cpus = made.cpus;
  record.limits.memory_bytes = made.memory_bytes;
  record.disk_bytes = request.disk_bytes;
  record.image_bytes = BytesIn(made.overlays);
  record.created_at_us = NowMicros();
  return record;
}

class HostImageImports final : public ImageImports {
 public:
  HostImageImports(ImageImportParts parts, std::string folder)
      : parts_(parts), folder_(std::move(folder)) {}

  ~HostImageImports() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      waiting_.clear();
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Called before the first import: removes what an earlier server left unfinished.
  Status Prepare() {
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    if (error) return Fail(ErrorCode::kInternal, "make " + folder_ + ": " + error.message());
    fs::permissions(folder_, fs::perms::owner_all, error);
    for (const templates::Template& made : parts_.templates.List()) {
      if (!made.name.starts_with(kImportPrefix)) continue;
      if (Status removed = parts_.templates.Remove(made.id); !removed)
        log::Warn("import.not_removed", {{"name", made.name}, {"error", removed.error().message}});
    }
    for (std::size_t i = 0; i < kImportThreads; ++i) threads_.emplace_back([this] { Work(); });
    return {};
  }

  Status Start(ImportImage request, Done done) override {
    RETURN_IF_ERROR(ParseImageReference(request.reference));
    accounts::Charge charge(parts_.budgets, request.account_id);
    accounts::Amounts one_build;
    one_build[accounts::Budget::kBuilds] = 1;
    RETURN_IF_ERROR(charge.Set(one_build));
    if (parts_.budgets != nullptr)
      RETURN_IF_ERROR(
          parts_.budgets->CheckBelowLimit(request.account_id, accounts::Budget::kDiskBytes));
    std::lock_guard lock(mutex_);
    std::size_t own = 0;
    for (const auto& [id, account_id] : under_way_) own += account_id == request.account_id;
    if (under_way_.size() >= kImportsMax || own >= kImportsPerAccountMax)
      return Fail(ErrorCode::kLimitExceeded,
                  "too many images are being imported: wait for one of them to end");
    under_way_[request.id] = request.account_id;
    waiting_.push_back({std::move(request), std::move(done), std::move(charge)});
    wake_.notify_one();
    return {};
  }

  std::set<std::string> under_way() const override {
    std::lock_guard lock(mutex_);
    std::set<std::string> ids;
    for (const auto& [id, account_id] : under_way_) ids.insert(id);
    return ids;
  }

 private:
  struct Waiting {
    ImportImage request;
    Done done;
    accounts::Charge charge;
  };

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      const std::string id = next.request.id;
      auto imported = Import(next.request);
      if (imported) {
        log::Info("image.imported", {{"snapshot", id}, {"digest", imported->digest}});
      } else {
        log::Info("image.not_imported", {{"snapshot", id}, {"error", imported.error().message}});
      }
      // An import that ends before its result is stored counts as interrupted.
      next.charge = accounts::Charge();
      if (!stopping_) next.done(std::move(imported));
      lock.lock();
      under_way_.erase(id);
    }
  }

  Result<ImportedImage> Import(const ImportImage& request) {
    FetchImage fetch;
    ASSIGN_OR_RETURN(fetch.reference, ParseImageReference(request.reference));
    fetch.login = request.login;
    fetch.transport = request.transport;
    fetch.bytes_max = request.disk_bytes;
    ASSIGN_OR_RETURN(const auto environment, ImportEnvironment::Make(parts_, folder_));
    fetch.folder = environment->folder();
    fetch.network = environment->network();
    ImportedImage imported;
    ASSIGN_OR_RETURN(imported.digest, Fetch(fetch, stopping_));
    const std::string name = std::string(kImportPrefix) + request.id;
    ASSIGN_OR_RETURN(
        const templates::Template made,
        parts_.templates.ImportOciLayout(name, environment->folder() + "/image", nullptr));
    if (made.user != kUserWhereNoneIsAsked) imported.user = made.user;
    imported.workdir = made.workdir;
    SnapshotRecord record = RecordOfImport(request, made);
    imported.info = BoxTemplates::InfoOf(record);
    Status kept = RunToEnd(parts_.snapshots.Add(std::move(record)));
    // The snapshot uses the folders now; if it could not be stored, the next start removes them.
    if (Status removed = parts_.templates.Remove(made.id); !removed)
      log::Warn("import.not_removed", {{"name", name}, {"error", removed.error().message}});
    RETURN_IF_ERROR(std::move(kept));
    return imported;
  }

  const ImageImportParts parts_;
  const std::string folder_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;  // guards all below but the threads
  std::condition_variable wake_;
  std::map<std::string, std::string> under_way_;  // whose it is, by id
  std::deque<Waiting> waiting_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<ImageImports>> OpenImageImports(ImageImportParts parts, std::string folder) {
  auto imports = std::make_unique<HostImageImports>(parts, std::move(folder));
  RETURN_IF_ERROR(imports->Prepare(), "image imports");
  return std::unique_ptr<ImageImports>(std::move(imports));
}

}  // namespace viv::boxes
