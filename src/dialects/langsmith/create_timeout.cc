#include "dialects/langsmith/create_timeout.h"

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"

namespace viv::langsmith {
namespace {

// Shared by the waiting coroutine and the creation, because either may end first. Both run on one
// thread.
struct PendingCreation {
  explicit PendingCreation(asio::any_io_executor executor) : done(std::move(executor)) {}

  asio::steady_timer done;  // cancelled when there is a result
  std::optional<Result<boxes::BoxPtr>> result;
  bool abandoned = false;
};

// Marks the creation as abandoned when the waiting coroutine ends, for whatever reason.
struct AbandonOnExit {
  std::shared_ptr<PendingCreation> pending;
  ~AbandonOnExit() { pending->abandoned = true; }
};

Task<void> RunCreation(boxes::Boxes& boxes,
                       boxes::CreateBox request,
                       std::shared_ptr<PendingCreation> pending) {
  auto made = co_await boxes.Create(std::move(request));
  if (!pending->abandoned) {
    pending->result = std::move(made);
    pending->done.cancel();
    co_return;
  }
  if (!made) co_return;
  const std::string id = (*made)->id;
  Status removed = co_await boxes.Remove((*made)->account_id, id);
  log::Info("langsmith.late_box_removed", {{"box", id}, {"removed", removed ? "yes" : "no"}});
}

}  // namespace

Task<Result<boxes::BoxPtr>> CreateWithTimeout(boxes::Boxes& boxes,
                                              boxes::CreateBox request,
                                              std::chrono::milliseconds timeout) {
  auto executor = co_await asio::this_coro::executor;
  auto pending = std::make_shared<PendingCreation>(executor);
  AbandonOnExit abandon_on_exit{pending};
  pending->done.expires_after(timeout);
  // Not owned by this coroutine, which ends before the creation if the client disconnects.
  asio::co_spawn(executor, RunCreation(boxes, std::move(request), pending), asio::detached);
  auto token = asio::as_tuple(asio::use_awaitable);
  if (!pending->result) co_await pending->done.async_wait(token);
  if (pending->result) co_return *std::move(pending->result);
  co_return Fail(ErrorCode::kUnavailable, std::string(kCreateTimedOut));
}

}  // namespace viv::langsmith
