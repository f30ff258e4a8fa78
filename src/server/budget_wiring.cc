#include "server/budget_wiring.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "base/unique_fd.h"

namespace viv::server {
namespace {

constexpr std::int64_t kBlobsTotal = 100'000;
constexpr std::int64_t kAssumedFree = 1LL << 60;  // where it is not known

std::int64_t FreeOnDisk(const std::string& folder) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return kAssumedFree;
  return static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
}

std::int64_t MemoryAvailable() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::int64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return kAssumedFree;
}

void Flush(const std::string& folder) {
  const UniqueFd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root) ::syncfs(root.get());
}

class AccountBlobs : public blobs::BlobCharge {
 public:
  AccountBlobs(accounts::Budgets& budgets, std::string account_id)
      : charge_(&budgets, std::move(account_id)) {}

  Status Set(std::int64_t blobs, std::int64_t bytes) override {
    return charge_.Set(AmountsOf(blobs, bytes));
  }
  void SetUnchecked(std::int64_t blobs, std::int64_t bytes) override {
    charge_.SetUnchecked(AmountsOf(blobs, bytes));
  }

 private:
  static accounts::Amounts AmountsOf(std::int64_t blobs, std::int64_t bytes) {
    accounts::Amounts amounts;
    amounts[accounts::Budget::kBlobs] = blobs;
    amounts[accounts::Budget::kBlobBytes] = bytes;
    return amounts;
  }

  accounts::Charge charge_;
};

}  // namespace

Result<std::unique_ptr<accounts::Budgets>> OpenBudgets(const Settings& settings,
                                                       store::Store& store) {
  accounts::Budgets::Options options;
  options.totals[accounts::Budget::kBoxes] = static_cast<std::int64_t>(settings.boxes_max);
  options.totals[accounts::Budget::kWorlds] = static_cast<std::int64_t>(settings.pool_max);
  options.totals[accounts::Budget::kBlobs] = kBlobsTotal;
  options.has_several_accounts = [&store] {
    auto accounts = store.ListAccounts();
    return accounts && accounts->size() > 1;
  };
  return accounts::Budgets::Open(store, std::move(options));
}

std::function<std::optional<int>(std::string_view)> AdmitBy(accounts::Budgets& budgets) {
  return [&limiter = budgets.requests()](std::string_view account_id) -> std::optional<int> {
    using std::chrono::nanoseconds;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const std::int64_t now_ns = std::chrono::duration_cast<nanoseconds>(now).count();
    const auto wait_ns = limiter.Admit(account_id, now_ns);
    if (!wait_ns) return std::nullopt;
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(nanoseconds(*wait_ns)).count());
  };
}

boxes::UsageSources SourcesOf(const Settings& settings,
                              boxes::BoxManager& boxes,
                              storage::BoxStorage& storage) {
  boxes::UsageSources sources;
  sources.boxes = [&boxes] { return boxes.ListMonitored(); };
  sources.snapshots = [&boxes] { return boxes.templates().ListHolders(); };
  sources.host_disk_free = [data = settings.data] { return FreeOnDisk(data); };
  sources.memory_available = MemoryAvailable;
  if (!storage.has_limits()) {  // it counts nothing either
    sources.read = [](const std::string&) { return 0; };
    sources.limit = [](const std::string&, std::int64_t) { return Status(); };
    sources.image_free = sources.host_disk_free;
    sources.flush = [] {};
    return sources;
  }
  const std::string image = settings.data + "/boxes/mnt";
  sources.read = [&storage](const std::string& folder) {
    auto usage = storage.Read(folder);
    return usage ? usage->used_bytes : 0;
  };
  sources.limit = [&storage](const std::string& folder, std::int64_t bytes) {
    return storage.SetLimit(folder, bytes);
  };
  // The image is sparse: the disk below it may have less free space than the image reports.
  sources.image_free = [image, around = settings.data + "/boxes"] {
    return std::min(FreeOnDisk(image), FreeOnDisk(around));
  };
  sources.flush = [image] { Flush(image); };
  return sources;
}

blobs::MakeBlobCharge BlobChargesBy(accounts::Budgets& budgets, const boxes::Boxes& boxes) {
  return [&budgets, &boxes](std::string_view owner) -> std::unique_ptr<blobs::BlobCharge> {
    auto box = boxes.Find(owner);
    if (!box) return nullptr;
    return std::make_unique<AccountBlobs>(budgets, (*box)->account_id);
  };
}

}  // namespace viv::server
