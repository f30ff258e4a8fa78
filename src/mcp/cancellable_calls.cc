#include "mcp/cancellable_calls.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv::mcp {
namespace {

std::string KeyOf(const std::string& lease_id, const json::value& request_id) {
  return lease_id + "/" + WriteJson(request_id);
}

}  // namespace

CancellableCalls::Call::~Call() {
  if (state_ == nullptr) return;
  std::lock_guard lock(owner_->mutex_);
  auto found = owner_->calls_.find(key_);
  if (found != owner_->calls_.end() && found->second == state_) owner_->calls_.erase(found);
}

Task<void> CancellableCalls::Call::Sleep(std::chrono::milliseconds time) {
  auto timer = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, time);
  {
    std::lock_guard lock(state_->mutex);
    if (state_->cancelled) co_return;
    // The timer belongs to this coroutine's executor, while a cancellation comes from another
    // thread.
    state_->wake = [timer] { asio::post(timer->get_executor(), [timer] { timer->cancel(); }); };
  }
  [[maybe_unused]] auto [woken] = co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  std::lock_guard lock(state_->mutex);
  state_->wake = nullptr;
}

CancellableCalls::Call CancellableCalls::Begin(const std::string& lease_id,
                                               const json::value& request_id) {
  std::string key = KeyOf(lease_id, request_id);
  auto state = std::make_shared<State>();
  std::lock_guard lock(mutex_);
  calls_[key] = state;
  return Call(*this, std::move(key), std::move(state));
}

void CancellableCalls::Cancel(const std::string& lease_id, const json::value& request_id) {
  std::shared_ptr<State> state;
  {
    std::lock_guard lock(mutex_);
    auto found = calls_.find(KeyOf(lease_id, request_id));
    if (found == calls_.end()) return;
    state = found->second;
  }
  state->cancelled = true;
  std::lock_guard lock(state->mutex);
  if (state->wake) state->wake();
}

}  // namespace viv::mcp
