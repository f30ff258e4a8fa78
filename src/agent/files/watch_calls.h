#pragma once
// The watching calls of filesystem.Filesystem: WatchDir as a stream, and CreateWatcher,
// GetWatcherEvents and RemoveWatcher for clients that poll.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/context.h"
#include "agent/files/filesystem_calls.h"
#include "agent/files/watcher.h"
#include "base/json.h"
#include "base/task.h"
#include "rpc/connect/service.h"

namespace viv::agent {

class WatchCalls {
 public:
  explicit WatchCalls(const Context& context) : context_(context) {}

  Task<connect::RpcResult<void>> WatchDir(const connect::Call& call,
                                          json::object in,
                                          connect::MessageWriter& writer);
  Task<FileRpcResult> CreateWatcher(const http::Request& request, json::object in);
  Task<FileRpcResult> GetWatcherEvents(json::object in);
  Task<FileRpcResult> RemoveWatcher(json::object in);

 private:
  connect::RpcResult<WatchRequest> ReadWatchRequest(const http::Request& request,
                                                    const json::object& in) const;
  connect::RpcResult<std::shared_ptr<Watcher>> FindWatcher(const json::object& in) const;

  const Context& context_;
  std::size_t starting_ = 0;
  // They keep themselves, since they must not outlive the server's loop, which this does.
  std::map<std::string, std::weak_ptr<Watcher>, std::less<>> watchers_;
};

}  // namespace viv::agent
