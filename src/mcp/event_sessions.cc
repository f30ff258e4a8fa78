#include "mcp/event_sessions.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/ids.h"

namespace viv::mcp {

struct EventSessions::Stream {
  explicit Stream(asio::any_io_executor executor) : wake(std::move(executor)) {}
  asio::steady_timer wake;            // used on its executor only
  std::vector<std::string> messages;  // likewise
};

EventSessions::Lease::~Lease() {
  if (stream_ == nullptr) return;
  std::lock_guard lock(owner_->mutex_);
  owner_->streams_.erase(id_);
}

Task<std::vector<std::string>> EventSessions::Lease::Wait(std::chrono::seconds limit) {
  if (stream_->messages.empty()) {
    stream_->wake.expires_after(limit);
    [[maybe_unused]] auto [woken] =
        co_await stream_->wake.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return std::exchange(stream_->messages, {});
}

EventSessions::Lease EventSessions::Open(asio::any_io_executor executor) {
  std::string id = RandomUuid();
  auto stream = std::make_shared<Stream>(std::move(executor));
  std::lock_guard lock(mutex_);
  streams_.emplace(id, stream);
  return Lease(*this, std::move(id), std::move(stream));
}

std::shared_ptr<EventSessions::Stream> EventSessions::Find(const std::string& id) const {
  std::lock_guard lock(mutex_);
  auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

bool EventSessions::Has(const std::string& id) const {
  return Find(id) != nullptr;
}

void EventSessions::Send(const std::string& id, std::string message) {
  std::shared_ptr<Stream> stream = Find(id);
  if (stream == nullptr) return;
  asio::post(stream->wake.get_executor(), [stream, message = std::move(message)]() mutable {
    stream->messages.push_back(std::move(message));
    stream->wake.cancel();
  });
}

}  // namespace viv::mcp
