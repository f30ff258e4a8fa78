#pragma once
// One watch on a folder: reads events in the background into a queue, which a stream or a polling
// client empties. The queue is bounded; while it is full, events stay in the kernel's queue, which
// is bounded too. When that overflows, the watch ends with an error, because a client must not
// believe that it saw all events.

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "agent/context.h"
#include "agent/files/inotify_tree.h"
#include "base/json.h"
#include "base/task.h"
#include "rpc/connect/service.h"

namespace viv::agent {

struct WatchRequest {
  User user;
  std::string path;
  bool recursive = false;
  bool include_entry = false;
  bool allow_network_mounts = false;
};

// Shared between its owner, a stream or the kept poller, and the reads that are under way.
class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  // Once it returns, every event is seen. `context` outlives the watcher.
  static Task<connect::RpcResult<std::shared_ptr<Watcher>>> Start(const Context& context,
                                                                  WatchRequest wanted);
  ~Watcher();

  // Waits until events can be taken, the watch has failed, or the time is over.
  Task<void> Wait(std::chrono::milliseconds time_max);
  json::array Take();  // filesystem.FilesystemEvent
  const std::string& failure() const { return failure_; }

  // Keeps the watcher alive without an owner until Release, or until the server's event loop ends.
  void KeepAlive();
  void Release();

 private:
  struct Io;
  Watcher(const Context& context, WatchRequest wanted, InotifyTree tree, std::unique_ptr<Io> io);
  bool Advance();
  void Pump();
  void Arm();
  void Render(const std::vector<Change>& changes);

  const Context& context_;
  WatchRequest wanted_;
  InotifyTree tree_;
  std::deque<json::object> events_;
  std::string failure_;
  bool reading_ = false;  // a read or a turn of Pump is under way
  std::unique_ptr<Io> io_;
};

}  // namespace viv::agent
