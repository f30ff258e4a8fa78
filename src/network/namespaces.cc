#include "network/namespaces.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "base/ids.h"
#include "base/log.h"
#include "network/named_namespace.h"
#include "network/namespace_cleanup.h"

namespace viv::network {
namespace {

using PoolClock = std::chrono::steady_clock;

// Up to this many released ones are kept for reuse even if SetReadyCount asked for fewer.
constexpr std::size_t kRecycledMin = 16;
constexpr std::size_t kReadyMax = 20'000;
// The prefix is the version of SetUpNamespace: namespaces that another version made are not reused.
constexpr std::string_view kNamePrefix = "net3-";
// The kernel frees the sockets of a dead process a little later, so a check is repeated for about
// two seconds before the namespace is given up. A check that finds something opens sockets itself,
// which count until the kernel has freed them some tens of milliseconds later, so checks are not
// more frequent than this.
constexpr auto kCheckEvery = std::chrono::milliseconds(60);
constexpr int kChecksMax = 30;
constexpr auto kRetryDelay = std::chrono::seconds(1);

class NamespacePool final : public Namespaces {
 public:
  explicit NamespacePool(std::string directory)
      : directory_(std::move(directory)), maintenance_thread_([this] { RunMaintenance(); }) {}

  // Ready namespaces belong to nobody and are removed. Acquired ones stay for the next server.
  ~NamespacePool() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    maintenance_thread_.join();
    for (const std::string& name : ready_) RemoveNamedNamespace(directory_, name);
    for (const Released& released : released_) RemoveNamedNamespace(directory_, released.name);
    CloseNamespaceFolder(directory_);
  }

  Result<Handle> Acquire() override {
    while (auto name = PopReady()) {
      auto fd = FindNamedNamespace(directory_, *name);
      if (fd) return Handle{*std::move(name), *std::move(fd)};
      log::Warn("network.namespace_lost", {{"name", *name}, {"error", fd.error().message}});
    }
    std::string name = NewName();
    ASSIGN_OR_RETURN(UniqueFd fd, MakeNamedNamespace(directory_, name), "make a network namespace");
    return Handle{std::move(name), std::move(fd)};
  }

  Result<UniqueFd> Find(const std::string& name) override {
    return FindNamedNamespace(directory_, name);
  }

  void Release(const std::string& name) override {
    if (!FindNamedNamespace(directory_, name)) return;
    std::lock_guard lock(mutex_);
    // If it were released twice, two boxes would get it.
    if (!unassigned_.insert(name).second) {
      log::Warn("network.namespace_released_twice", {{"name", name}});
      return;
    }
    released_.push_back({name, PoolClock::now(), 0});
    wake_.notify_all();
  }

  std::vector<std::string> List() override {
    std::vector<std::string> names = ListNamedNamespaces(directory_);
    std::lock_guard lock(mutex_);
    std::erase_if(names, [&](const std::string& name) { return unassigned_.contains(name); });
    return names;
  }

  void SetReadyCount(std::size_t count) override {
    std::lock_guard lock(mutex_);
    ready_target_ = std::min(count, kReadyMax);
    wake_.notify_all();
  }

  void WaitUntilIdle() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] {
      return !working_ && released_.empty() && (ready_.size() >= ready_target_ || make_failed_);
    });
  }

 private:
  struct Released {
    std::string name;
    PoolClock::time_point check_at;
    int checks;
  };

  static std::string NewName() { return std::string(kNamePrefix) + RandomHex(16); }

  std::optional<std::string> PopReady() {
    std::lock_guard lock(mutex_);
    if (ready_.empty()) return std::nullopt;
    std::string name = std::move(ready_.front());
    ready_.pop_front();
    unassigned_.erase(name);
    if (ready_.size() < ready_target_) wake_.notify_all();
    return name;
  }

  // The maintenance thread: checks released namespaces, then makes missing ones.
  void RunMaintenance() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      auto now = PoolClock::now();
      if (!released_.empty() && released_.front().check_at <= now) {
        CheckReleased(lock);
      } else if (ready_.size() < ready_target_ && now >= retry_at_) {
        MakeReady(lock);
      } else {
        idle_.notify_all();
        if (!released_.empty())
          wake_.wait_until(lock, released_.front().check_at);
        else if (ready_.size() < ready_target_)
          wake_.wait_until(lock, retry_at_);
        else
          wake_.wait(lock);
      }
    }
  }

  void CheckReleased(std::unique_lock<std::mutex>& lock) {
    Released item = std::move(released_.front());
    released_.pop_front();
    bool wanted =
        item.name.starts_with(kNamePrefix) && ready_.size() < std::max(ready_target_, kRecycledMin);
    working_ = true;
    lock.unlock();
    Result<bool> clean = wanted ? Check(item.name) : Result<bool>(false);
    bool again = wanted && clean && !*clean && ++item.checks < kChecksMax;
    bool remove = !again && (!clean || !*clean);
    if (remove) {
      if (wanted) LogUnclean(item.name, clean);
      RemoveNamedNamespace(directory_, item.name);
    }
    lock.lock();
    working_ = false;
    if (again) {
      item.check_at = PoolClock::now() + kCheckEvery;
      released_.push_back(std::move(item));
    } else if (remove) {
      unassigned_.erase(item.name);
    } else {
      ready_.push_back(std::move(item.name));
    }
  }

  Result<bool> Check(const std::string& name) {
    ASSIGN_OR_RETURN(UniqueFd fd, FindNamedNamespace(directory_, name));
    return CleanNamespace(fd.get());
  }

  static void LogUnclean(const std::string& name, const Result<bool>& clean) {
    std::string why = clean ? "sockets are left in it" : clean.error().message;
    log::Warn("network.namespace_not_reused", {{"name", name}, {"reason", why}});
  }

  void MakeReady(std::unique_lock<std::mutex>& lock) {
    working_ = true;
    std::string name = NewName();
    unassigned_.insert(name);  // before List could return it
    lock.unlock();
    auto made = MakeNamedNamespace(directory_, name);
    lock.lock();
    working_ = false;
    make_failed_ = !made;
    if (made) {
      ready_.push_back(std::move(name));
      return;
    }
    unassigned_.erase(name);
    retry_at_ = PoolClock::now() + kRetryDelay;
    log::Error("network.namespace_not_made", {{"error", made.error().message}});
  }

  const std::string directory_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<std::string> ready_;
  std::deque<Released> released_;               // in the order of check_at
  std::unordered_set<std::string> unassigned_;  // ready, released or being made: no box has them
  std::size_t ready_target_ = 0;
  PoolClock::time_point retry_at_{};
  bool working_ = false, make_failed_ = false, stopping_ = false;
  std::thread maintenance_thread_;  // last, so that it starts after everything else is initialized
};

}  // namespace

Result<std::unique_ptr<Namespaces>> Namespaces::Open(const std::string& directory) {
  RETURN_IF_ERROR(OpenNamespaceFolder(directory), "open the network namespaces");
  return std::make_unique<NamespacePool>(directory);
}

}  // namespace viv::network
