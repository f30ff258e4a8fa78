#pragma once
// A condition variable for coroutines of one thread. A waiter checks its condition just before it
// waits and again afterwards; no change is lost, because nothing runs in between.

#include <chrono>
#include <list>

#include <boost/asio/steady_timer.hpp>

#include "base/task.h"

namespace viv::agent {

class Notifier {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void NotifyAll();
  Task<void> WaitUntil(Time deadline);  // returns then at the latest; this outlives it

 private:
  std::list<asio::steady_timer*> waiting_;
};

}  // namespace viv::agent
