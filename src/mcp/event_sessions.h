#pragma once
// The open streams of the older SSE transport: what a POST answers travels down the stream of its
// session. Thread-safe; each stream waits on its own executor.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"

namespace viv::mcp {

class EventSessions {
 public:
  struct Stream;

  // An open stream; it is gone from the list when this goes out of scope.
  class Lease {
   public:
    Lease(EventSessions& owner, std::string id, std::shared_ptr<Stream> stream)
        : owner_(&owner), id_(std::move(id)), stream_(std::move(stream)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    const std::string& id() const { return id_; }
    // What was sent since the last time; waits up to `limit` for something.
    Task<std::vector<std::string>> Wait(std::chrono::seconds limit);
    bool too_slow() const;  // more waited than is kept, and something was lost

   private:
    EventSessions* owner_;
    std::string id_;
    std::shared_ptr<Stream> stream_;  // shared with senders under way, and with its own work
  };

  Lease Open(asio::any_io_executor executor);
  bool Has(const std::string& id) const;
  void Send(const std::string& id, std::string message);
  // Runs `work` where the stream is, until that ends. False without such a stream, or when it has
  // too much to do already.
  bool Spawn(const std::string& id, Task<void> work);

 private:
  std::shared_ptr<Stream> Find(const std::string& id) const;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Stream>> streams_;  // guarded
};

}  // namespace viv::mcp
