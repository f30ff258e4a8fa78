// Ends a box: its processes are killed at once, the rest is released as they exit, and the caller
// waits a few seconds at most.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "boxes/box_manager.h"

namespace viv::boxes {
namespace {

// How long a caller waits for the box to be gone. A box that takes longer is counted as ending.
constexpr std::chrono::seconds kEndWait{5};

// Resumes one coroutine from the reaper's thread, unless its wait has timed out.
class EndSignal {
 public:
  explicit EndSignal(asio::any_io_executor executor)
      : state_(std::make_shared<State>(std::move(executor))) {}
  ~EndSignal() {
    std::lock_guard lock(state_->mutex);
    state_->awaited = false;
  }
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  std::function<void()> Sender() const {
    return [state = state_] {
      std::lock_guard lock(state->mutex);
      if (!state->awaited) return;
      // A time in the past also ends a wait that begins later.
      asio::post(state->timer.get_executor(), [state] {
        state->timer.expires_at(std::chrono::steady_clock::time_point::min());
      });
    };
  }
  asio::steady_timer& timer() { return state_->timer; }

 private:
  struct State {
    explicit State(asio::any_io_executor executor) : timer(std::move(executor), kEndWait) {}
    asio::steady_timer timer;
    std::mutex mutex;  // guards the one below
    bool awaited = true;
  };
  std::shared_ptr<State> state_;  // shared with the sender, which may outlive the wait
};

}  // namespace

Task<void> BoxManager::End(std::unique_ptr<LiveBox> live,
                           BoxHost::Files files,
                           BoxLayers::Reference layer_reference,
                           EndWait wait) {
  exits_.Remove(live->handle.name);
  if (wait == EndWait::kNo) {
    BoxHost::EndOptions no_signal;
    no_signal.layer_reference = std::move(layer_reference);
    host_.End(std::move(live), files, std::move(no_signal));
    co_return;
  }
  auto executor = co_await asio::this_coro::executor;
  EndSignal ended(executor);
  BoxHost::EndOptions options;
  options.done = ended.Sender();
  options.layer_reference = std::move(layer_reference);
  host_.End(std::move(live), files, std::move(options));
  co_await ended.timer().async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace viv::boxes
