#include "boxes/box_reaper.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace viv::boxes {
namespace {

constexpr std::chrono::microseconds kEndingPauseMin{100};
// At first a caller waits for the box to be gone.
constexpr std::chrono::microseconds kEndingPauseMaxAtFirst{500};
constexpr std::chrono::milliseconds kEndingFirst{100};
constexpr std::chrono::milliseconds kEndingPauseMax{100};
constexpr std::chrono::seconds kEndingUsual{5};
constexpr std::chrono::seconds kEndingAtExit{5};

}  // namespace

BoxReaper::BoxReaper() : thread_([this] { Run(); }) {}

BoxReaper::~BoxReaper() {
  {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kEndingAtExit, [this] { return count_ == 0; });
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  for (const Pending& left : pending_)
    log::Error("box.left_ending", {{"place", left.teardown.name}});
}

void BoxReaper::Add(Teardown teardown) {
  {
    const auto now = Clock::now();
    std::lock_guard lock(mutex_);
    pending_.push_back({std::move(teardown), now, now, kEndingPauseMin});
    ++count_;
  }
  wake_.notify_all();
}

std::size_t BoxReaper::size() const {
  std::lock_guard lock(mutex_);
  return count_;
}

void BoxReaper::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (pending_.empty()) {
      wake_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
      continue;
    }
    auto sooner = [](const Pending& a, const Pending& b) { return a.next_at < b.next_at; };
    const auto next = std::min_element(pending_.begin(), pending_.end(), sooner)->next_at;
    const auto now = Clock::now();
    if (next > now) {
      wake_.wait_until(lock, next);
      continue;
    }
    AdvanceDue(lock, now);
  }
}

// Only this thread removes from the list; other threads only append to it.
void BoxReaper::AdvanceDue(std::unique_lock<std::mutex>& lock, Clock::time_point now) {
  for (auto at = pending_.begin(); at != pending_.end() && !stopping_;) {
    if (at->next_at > now) {
      ++at;
      continue;
    }
    lock.unlock();
    const bool gone = at->teardown.advance();
    lock.lock();
    if (!gone) {
      const auto here = Clock::now();
      if (!at->reported && here - at->since > kEndingUsual) {
        at->reported = true;
        log::Error("box.not_ended",
                   {{"place", at->teardown.name}, {"error", "its processes do not die yet"}});
      }
      const Clock::duration most = here - at->since < kEndingFirst
                                       ? Clock::duration(kEndingPauseMaxAtFirst)
                                       : Clock::duration(kEndingPauseMax);
      at->pause = std::min<Clock::duration>(at->pause * 3 / 2, most);
      at->next_at = here + at->pause;
      ++at;
      continue;
    }
    Pending finished = std::move(*at);
    at = pending_.erase(at);
    lock.unlock();
    if (finished.teardown.done) finished.teardown.done();
    finished = Pending();
    lock.lock();
    --count_;
    wake_.notify_all();
  }
}

}  // namespace viv::boxes
