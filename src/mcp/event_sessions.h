#pragma once
// The open event streams: those of the older SSE transport, where the response to a POST is sent on
// the stream of its session, and those that a GET of streamable HTTP opens, on which only
// keepalives are sent. A stream ends with its sandbox. Thread-safe; each stream waits on its own
// executor.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"
#include "mcp/endpoint.h"

namespace viv::mcp {

class EventSessions {
 public:
  struct Stream;

  // An open stream. The destructor removes it from the list.
  class Session {
   public:
    Session(EventSessions& owner, std::string id, std::shared_ptr<Stream> stream)
        : owner_(&owner), id_(std::move(id)), stream_(std::move(stream)) {}
    Session(Session&&) = default;
    Session& operator=(Session&&) = delete;
    ~Session();

    const std::string& id() const { return id_; }
    // Returns the messages sent since the last call; waits up to `limit` for the first.
    Task<std::vector<std::string>> Wait(std::chrono::seconds limit);
    bool too_slow() const;  // more waited than is kept, and something was lost
    bool over() const;      // what it leads to is gone

   private:
    EventSessions* owner_;
    std::string id_;
    std::shared_ptr<Stream> stream_;  // shared with senders under way, and with its own work
  };

  Session Open(asio::any_io_executor executor, EndpointPtr endpoint);
  bool Has(const std::string& id) const;
  void Send(const std::string& id, std::string message);
  // Runs `work` where the stream is, until that ends. False without such a stream, or when it has
  // too much to do already.
  bool Spawn(const std::string& id, Task<void> work);
  // Ends the streams whose sandbox is gone. Called several times a second, so that the code that
  // ends a sandbox need not know of streams.
  void EndOrphans();

 private:
  std::shared_ptr<Stream> Find(const std::string& id) const;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Stream>> streams_;  // guarded
};

}  // namespace viv::mcp
