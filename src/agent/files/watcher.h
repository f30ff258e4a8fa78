#pragma once
// One watch on a folder: reads what happens, in the background, into a queue that a stream or a
// poller empties. The queue is bounded; while it is full, events wait in the kernel, whose own
// queue is bounded too. What is lost there ends the watch with an error, since a client that
// believes it saw everything would be worse off.

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
  // Once it answers, everything that happens is seen. `context` outlives the watcher.
  static Task<connect::RpcResult<std::shared_ptr<Watcher>>> Start(const Context& context,
                                                                  WatchRequest wanted);
  ~Watcher();

  // Until something can be taken, the watch has failed, or the time is over.
  Task<void> Wait(std::chrono::milliseconds time_max);
  json::array Take();  // filesystem.FilesystemEvent
  const std::string& failure() const { return failure_; }

  // Lives on without an owner until Release, or until the server's loop ends.
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
