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
#include "network/kept_namespace.h"
#include "network/leftovers.h"

namespace viv::network {
namespace {

using PoolClock = std::chrono::steady_clock;

// Returned ones are kept for reuse up to this many even where no stock is asked for.
constexpr std::size_t kRecycledMin = 16;
constexpr std::size_t kStockMax = 20'000;
// Says how a namespace is wired: one that a server of another version made is not reused.
constexpr std::string_view kNamePrefix = "net3-";
// The kernel frees a dead process's sockets a little later, so a check is repeated for about a
// second before a namespace counts as unclean.
// A check that finds something opens sockets of its own, which count until the kernel has freed
// them, tens of milliseconds later: a quicker look would see nothing but the one before.
constexpr auto kCheckEvery = std::chrono::milliseconds(60);
constexpr int kChecksMax = 30;
constexpr auto kRestAfterFailure = std::chrono::seconds(1);

class NamespacePool final : public Namespaces {
 public:
  explicit NamespacePool(std::string directory)
      : directory_(std::move(directory)), keeper_([this] { Keep(); }) {}

  // What is ready belongs to nobody and goes; what is taken stays for the next server.
  ~NamespacePool() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    keeper_.join();
    for (const std::string& name : ready_) RemoveKept(directory_, name);
    for (const Returned& returned : returned_) RemoveKept(directory_, returned.name);
    CloseKeptFolder(directory_);
  }

  Result<Taken> Take() override {
    while (auto name = PopReady()) {
      auto fd = FindKept(directory_, *name);
      if (fd) return Taken{*std::move(name), *std::move(fd)};
      log::Warn("network.namespace_lost", {{"name", *name}, {"error", fd.error().message}});
    }
    std::string name = NewName();
    ASSIGN_OR_RETURN(UniqueFd fd, MakeKept(directory_, name), "make a network namespace");
    return Taken{std::move(name), std::move(fd)};
  }

  Result<UniqueFd> Find(const std::string& name) override { return FindKept(directory_, name); }

  void Return(const std::string& name) override {
    if (!FindKept(directory_, name)) return;
    std::lock_guard lock(mutex_);
    // Returned twice it would come to two boxes.
    if (!ours_.insert(name).second) {
      log::Warn("network.namespace_returned_twice", {{"name", name}});
      return;
    }
    returned_.push_back({name, PoolClock::now(), 0});
    work_.notify_all();
  }

  std::vector<std::string> List() override {
    std::vector<std::string> names = ListKept(directory_);
    std::lock_guard lock(mutex_);
    std::erase_if(names, [&](const std::string& name) { return ours_.contains(name); });
    return names;
  }

  void Stock(std::size_t count) override {
    std::lock_guard lock(mutex_);
    stock_ = std::min(count, kStockMax);
    work_.notify_all();
  }

  void Settle() override {
    std::unique_lock lock(mutex_);
    settled_.wait(lock, [&] {
      return !working_ && returned_.empty() && (ready_.size() >= stock_ || make_failed_);
    });
  }

 private:
  struct Returned {
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
    ours_.erase(name);
    if (ready_.size() < stock_) work_.notify_all();
    return name;
  }

  // The keeper's thread: checks what was returned, then makes what is missing.
  void Keep() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      auto now = PoolClock::now();
      if (!returned_.empty() && returned_.front().check_at <= now) {
        CheckReturned(lock);
      } else if (ready_.size() < stock_ && now >= make_again_at_) {
        MakeReady(lock);
      } else {
        settled_.notify_all();
        if (!returned_.empty())
          work_.wait_until(lock, returned_.front().check_at);
        else if (ready_.size() < stock_)
          work_.wait_until(lock, make_again_at_);
        else
          work_.wait(lock);
      }
    }
  }

  void CheckReturned(std::unique_lock<std::mutex>& lock) {
    Returned item = std::move(returned_.front());
    returned_.pop_front();
    bool wanted =
        item.name.starts_with(kNamePrefix) && ready_.size() < std::max(stock_, kRecycledMin);
    working_ = true;
    lock.unlock();
    Result<bool> clean = wanted ? Check(item.name) : Result<bool>(false);
    bool again = wanted && clean && !*clean && ++item.checks < kChecksMax;
    bool remove = !again && (!clean || !*clean);
    if (remove) {
      if (wanted) LogUnclean(item.name, clean);
      RemoveKept(directory_, item.name);
    }
    lock.lock();
    working_ = false;
    if (again) {
      item.check_at = PoolClock::now() + kCheckEvery;
      returned_.push_back(std::move(item));
    } else if (remove) {
      ours_.erase(item.name);
    } else {
      ready_.push_back(std::move(item.name));
    }
  }

  Result<bool> Check(const std::string& name) {
    ASSIGN_OR_RETURN(UniqueFd fd, FindKept(directory_, name));
    return ClearLeftovers(fd.get());
  }

  static void LogUnclean(const std::string& name, const Result<bool>& clean) {
    std::string why = clean ? "sockets are left in it" : clean.error().message;
    log::Warn("network.namespace_not_reused", {{"name", name}, {"reason", why}});
  }

  void MakeReady(std::unique_lock<std::mutex>& lock) {
    working_ = true;
    std::string name = NewName();
    ours_.insert(name);  // before it can be listed
    lock.unlock();
    auto made = MakeKept(directory_, name);
    lock.lock();
    working_ = false;
    make_failed_ = !made;
    if (made) {
      ready_.push_back(std::move(name));
      return;
    }
    ours_.erase(name);
    make_again_at_ = PoolClock::now() + kRestAfterFailure;
    log::Error("network.namespace_not_made", {{"error", made.error().message}});
  }

  const std::string directory_;
  std::mutex mutex_;
  std::condition_variable work_, settled_;
  std::deque<std::string> ready_;
  std::deque<Returned> returned_;         // in the order of check_at
  std::unordered_set<std::string> ours_;  // ready, returned or being made: nobody else's
  std::size_t stock_ = 0;
  PoolClock::time_point make_again_at_{};
  bool working_ = false, make_failed_ = false, stopping_ = false;
  std::thread keeper_;  // last, so that it starts when all else stands
};

}  // namespace

Result<std::unique_ptr<Namespaces>> Namespaces::Open(const std::string& directory) {
  RETURN_IF_ERROR(OpenKeptFolder(directory), "open the network namespaces");
  return std::make_unique<NamespacePool>(directory);
}

}  // namespace viv::network
