#include "boxes/parked_boxes.h"

#include <utility>

#include "base/log.h"

namespace viv::boxes {
namespace {

// Parking pauses for this long after each request for a box, which gets the CPU first.
constexpr std::chrono::milliseconds kQuietPeriod{4};

bool IsSameRequest(const BoxHost::StartRequest& a, const BoxHost::StartRequest& b) {
  return a.overlays == b.overlays && a.disk_bytes == b.disk_bytes &&
         a.limits.cpus == b.limits.cpus && a.limits.memory_bytes == b.limits.memory_bytes &&
         a.limits.processes == b.limits.processes;
}

}  // namespace

ParkedBoxes::ParkedBoxes(BoxHost& host, std::size_t target)
    : host_(host), target_(target), thread_([this] { Run(); }) {}

ParkedBoxes::~ParkedBoxes() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  for (auto& [id, pool] : pools_) End(std::move(pool.boxes));
}

void ParkedBoxes::End(std::deque<std::unique_ptr<LiveBox>> boxes) {
  for (auto& box : boxes) host_.End(std::move(box), BoxHost::Files::kRemove);
}

void ParkedBoxes::StartParking(const std::string& parked_key, BoxHost::StartRequest request) {
  if (target_ == 0) return;
  std::deque<std::unique_ptr<LiveBox>> old;
  {
    std::lock_guard lock(mutex_);
    auto found = pools_.find(parked_key);
    if (found != pools_.end() && IsSameRequest(found->second.request, request)) return;
    Pool& pool = pools_[parked_key];
    std::swap(old, pool.boxes);
    pool.request = std::move(request);
    pool.failing = false;
  }
  wake_.notify_all();
  End(std::move(old));
}

void ParkedBoxes::StopParking(const std::string& parked_key) {
  std::deque<std::unique_ptr<LiveBox>> old;
  {
    std::lock_guard lock(mutex_);
    auto found = pools_.find(parked_key);
    if (found == pools_.end()) return;
    std::swap(old, found->second.boxes);
    pools_.erase(found);
  }
  End(std::move(old));
}

std::unique_ptr<LiveBox> ParkedBoxes::Take(const std::string& parked_key) {
  std::unique_ptr<LiveBox> box;
  {
    std::lock_guard lock(mutex_);
    last_taken_ = std::chrono::steady_clock::now();
    auto found = pools_.find(parked_key);
    if (found == pools_.end()) return nullptr;
    found->second.failing = false;
    if (!found->second.boxes.empty()) {
      box = std::move(found->second.boxes.front());
      found->second.boxes.pop_front();
    }
  }
  wake_.notify_all();
  return box;
}

std::size_t ParkedBoxes::size() const {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, pool] : pools_) count += pool.boxes.size();
  return count;
}

// The pool with the fewest boxes that is not full.
ParkedBoxes::Pool* ParkedBoxes::NextToFill() {
  Pool* next = nullptr;
  for (auto& [id, pool] : pools_) {
    if (pool.failing || pool.boxes.size() >= target_) continue;
    if (next == nullptr || pool.boxes.size() < next->boxes.size()) next = &pool;
  }
  return next;
}

void ParkedBoxes::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    Pool* pool = NextToFill();
    if (pool == nullptr) {
      wake_.wait(lock);
      continue;
    }
    auto quiet_at = last_taken_ + kQuietPeriod;
    if (std::chrono::steady_clock::now() < quiet_at) {
      wake_.wait_until(lock, quiet_at);
      continue;
    }
    BoxHost::StartRequest request = pool->request;
    lock.unlock();
    auto started = host_.Start(request);
    lock.lock();
    // The pool may have been removed or changed meanwhile.
    Pool* still = nullptr;
    for (auto& [id, it] : pools_)
      if (IsSameRequest(it.request, request)) still = &it;
    if (!started) {
      log::Warn("box.not_parked", {{"error", started.error().message}});
      if (still != nullptr) still->failing = true;
    } else if (still != nullptr) {
      still->boxes.push_back(*std::move(started));
    } else {
      lock.unlock();
      host_.EndAndWait(*std::move(started), BoxHost::Files::kRemove);
      lock.lock();
    }
  }
}

}  // namespace viv::boxes
