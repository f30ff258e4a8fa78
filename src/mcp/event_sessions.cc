#include "mcp/event_sessions.h"

#include <atomic>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/ids.h"
#include "base/task_group.h"

namespace viv::mcp {
namespace {

constexpr std::size_t kWorkMax = 256;  // of one stream at a time
constexpr std::size_t kWaitingBytesMax = 64 * 1024 * 1024;

Task<void> CountWork(std::shared_ptr<std::atomic<std::size_t>> count, Task<void> work) {
  struct Leave {
    std::atomic<std::size_t>& count;
    ~Leave() { --count; }
  } leave{*count};
  co_await std::move(work);
}

}  // namespace

struct EventSessions::Stream {
  Stream(asio::any_io_executor executor, EndpointPtr leads_to)
      : endpoint(std::move(leads_to)),
        wake(executor),
        tasks(std::make_unique<TaskGroup>(executor)) {}
  const EndpointPtr endpoint;
  asio::steady_timer wake;            // used on its executor only
  std::vector<std::string> messages;  // likewise
  std::size_t bytes = 0;              // likewise; of the messages
  bool too_slow = false;              // likewise; something was lost
  bool over = false;                  // likewise; the sandbox is gone
  std::unique_ptr<TaskGroup> tasks;   // likewise; gone once the stream is over
  // Shared with the work itself, which may outlive the stream by a moment.
  const std::shared_ptr<std::atomic<std::size_t>> work =
      std::make_shared<std::atomic<std::size_t>>(0);
};

EventSessions::Session::~Session() {
  if (stream_ == nullptr) return;
  stream_->tasks.reset();
  std::lock_guard lock(owner_->mutex_);
  owner_->streams_.erase(id_);
}

Task<std::vector<std::string>> EventSessions::Session::Wait(std::chrono::seconds limit) {
  if (stream_->messages.empty() && !stream_->over) {
    stream_->wake.expires_after(limit);
    [[maybe_unused]] auto [woken] =
        co_await stream_->wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  stream_->bytes = 0;
  co_return std::exchange(stream_->messages, {});
}

bool EventSessions::Session::too_slow() const {
  return stream_->too_slow;
}

bool EventSessions::Session::over() const {
  return stream_->over;
}

EventSessions::Session EventSessions::Open(asio::any_io_executor executor, EndpointPtr endpoint) {
  std::string id = RandomUuid();
  auto stream = std::make_shared<Stream>(std::move(executor), std::move(endpoint));
  std::lock_guard lock(mutex_);
  streams_.emplace(id, stream);
  return Session(*this, std::move(id), std::move(stream));
}

std::shared_ptr<EventSessions::Stream> EventSessions::Find(const std::string& id) const {
  std::lock_guard lock(mutex_);
  auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

bool EventSessions::Has(const std::string& id) const {
  return Find(id) != nullptr;
}

void EventSessions::EndOrphans() {
  std::vector<std::shared_ptr<Stream>> open;
  {
    std::lock_guard lock(mutex_);
    if (streams_.empty()) return;
    open.reserve(streams_.size());
    for (const auto& [id, stream] : streams_) open.push_back(stream);
  }
  for (const std::shared_ptr<Stream>& stream : open) {
    if (stream->endpoint->exists()) continue;
    asio::post(stream->wake.get_executor(), [stream] {
      stream->over = true;
      stream->wake.cancel();
    });
  }
}

void EventSessions::Send(const std::string& id, std::string message) {
  std::shared_ptr<Stream> stream = Find(id);
  if (stream == nullptr) return;
  asio::post(stream->wake.get_executor(), [stream, message = std::move(message)]() mutable {
    stream->too_slow |= stream->bytes + message.size() > kWaitingBytesMax;
    if (!stream->too_slow) {
      stream->bytes += message.size();
      stream->messages.push_back(std::move(message));
    }
    stream->wake.cancel();
  });
}

bool EventSessions::Spawn(const std::string& id, Task<void> work) {
  std::shared_ptr<Stream> stream = Find(id);
  if (stream == nullptr) return false;
  if (stream->work->fetch_add(1) >= kWorkMax) {
    --*stream->work;
    return false;
  }
  auto counted = std::make_shared<Task<void>>(CountWork(stream->work, std::move(work)));
  asio::post(stream->wake.get_executor(), [stream, counted] {
    if (stream->tasks != nullptr) stream->tasks->Spawn("mcp.event_call", std::move(*counted));
  });
  return true;
}

}  // namespace viv::mcp
