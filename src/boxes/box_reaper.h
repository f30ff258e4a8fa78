#pragma once
// Ends boxes on one thread that blocks on none of them: it polls each, with growing pauses, until
// nothing is left of it. A box whose processes do not exit therefore delays no other, and is
// counted until it is gone. Thread-safe.

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
    // Does what is possible without blocking; returns true when nothing is left of the box.
    std::function<bool()> advance;
    std::function<void()> done;  // called once, when nothing is left
  };

  BoxReaper();
  ~BoxReaper();  // waits a few seconds for the rest; the next start of the server sweeps what
                 // remains

  void Add(Teardown teardown);  // its functions are called on the reaper's thread
  std::size_t size() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    Teardown teardown;
    Clock::time_point since, next_at;
    Clock::duration pause;
    bool reported = false;  // that it takes long has been logged
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
