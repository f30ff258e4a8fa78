#pragma once
// Boxes that are being ended, all by one thread that waits for none of them: it asks each again and
// again, with growing pauses, whether it is gone. So one whose processes do not die holds up
// nobody, and is counted until it is gone. Thread-safe.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace viv::boxes {

class BoxReaper {
 public:
  struct Teardown {
    std::string name;
    // Does what can be done without waiting; whether nothing is left of the box.
    std::function<bool()> advance;
    std::function<void()> done;  // called once, when nothing is left
  };

  BoxReaper();
  ~BoxReaper();  // gives those that are left some seconds; the next start finds what then remains

  void Add(Teardown teardown);  // both of its functions are called on the thread of endings
  std::size_t size() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    Teardown teardown;
    Clock::time_point since, next_at;
    Clock::duration pause;
    bool reported = false;  // that it takes long
  };

  void Run();
  void AdvanceDue(std::unique_lock<std::mutex>& lock, Clock::time_point now);

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::list<Pending> pending_;
  std::size_t count_ = 0;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace viv::boxes
