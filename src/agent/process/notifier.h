#pragma once
// Lets coroutines of one thread wait until something may have changed. Who waits has looked at the
// state just before and looks again after; no change is lost, for nothing runs in between.

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
