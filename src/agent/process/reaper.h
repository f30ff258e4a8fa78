#pragma once
// Collects every child that dies: the processes we started, whose end somebody waits for, and as
// pid 1 every orphan of the box. SIGCHLD is blocked and read from a descriptor, so no death is
// missed; one wakeup collects them all.

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "base/task_group.h"
#include "base/unique_fd.h"

namespace viv::agent {

class Reaper : public std::enable_shared_from_this<Reaper> {
 public:
  using OnEnd = std::function<void(int wait_status)>;

  // Blocks SIGCHLD in this thread, which must be the only one.
  static Result<std::shared_ptr<Reaper>> Create();

  // Collects until cancelled; keeps this alive meanwhile.
  Task<void> Run();
  // Calls `on_end` once `pid`, a child that was not collected yet, has ended.
  void Watch(pid_t pid, OnEnd on_end);

 private:
  explicit Reaper(UniqueFd signals) : signals_(std::move(signals)) {}
  bool ReapSome();  // whether there may be more

  UniqueFd signals_;
  std::map<pid_t, OnEnd> watched_;
};

// The one reaper of the program, which every service that starts processes owns a share of. It runs
// from the first share to the last.
class SharedReaper {
 public:
  // `place` keeps it for the next one who asks.
  static Result<std::shared_ptr<SharedReaper>> Of(std::weak_ptr<SharedReaper>& place,
                                                  asio::any_io_executor executor);
  void Watch(pid_t pid, Reaper::OnEnd on_end) { reaper_->Watch(pid, std::move(on_end)); }

 private:
  SharedReaper(std::shared_ptr<Reaper> reaper, asio::any_io_executor executor);

  std::shared_ptr<Reaper> reaper_;  // shared with its own coroutine
  TaskGroup tasks_;                 // ends first
};

}  // namespace viv::agent
