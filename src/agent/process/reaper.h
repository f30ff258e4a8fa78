#pragma once
// Reaps every child that exits: the processes that the agent started, and as pid 1 every orphan of
// the box. SIGCHLD is blocked and read from a signalfd, so that no exit is missed; one wakeup reaps
// all.

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

  // Reaps until it is cancelled; keeps this object alive meanwhile.
  Task<void> Run();
  // Calls `on_end` once `pid`, a child that was not reaped yet, has exited.
  void Watch(pid_t pid, OnEnd on_end);

 private:
  explicit Reaper(UniqueFd signals) : signals_(std::move(signals)) {}
  bool ReapSome();  // whether there may be more

  UniqueFd signals_;
  std::map<pid_t, OnEnd> watched_;
};

// The one reaper of the program, shared by every service that starts processes. It runs as long as
// one of them holds it.
class SharedReaper {
 public:
  // `place` remembers it for the next caller.
  static Result<std::shared_ptr<SharedReaper>> Of(std::weak_ptr<SharedReaper>& place,
                                                  asio::any_io_executor executor);
  void Watch(pid_t pid, Reaper::OnEnd on_end) { reaper_->Watch(pid, std::move(on_end)); }

 private:
  SharedReaper(std::shared_ptr<Reaper> reaper, asio::any_io_executor executor);

  std::shared_ptr<Reaper> reaper_;  // shared with its own coroutine
  TaskGroup tasks_;                 // ends first
};

}  // namespace viv::agent
