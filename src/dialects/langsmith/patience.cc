#include "dialects/langsmith/patience.h"

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

// Shared by the one who waits and the creation under way, since either may end first. Both run on
// one thread.
struct Awaited {
  explicit Awaited(asio::any_io_executor executor) : done(std::move(executor)) {}

  asio::steady_timer done;  // cancelled when there is a result
  std::optional<Result<boxes::BoxPtr>> result;
  bool abandoned = false;
};

// The one who waits is gone, however that came about.
struct Abandoning {
  std::shared_ptr<Awaited> awaited;
  ~Abandoning() { awaited->abandoned = true; }
};

Task<void> CreateAwaited(boxes::Boxes& boxes,
                         boxes::CreateBox request,
                         std::shared_ptr<Awaited> awaited) {
  auto made = co_await boxes.Create(std::move(request));
  if (!awaited->abandoned) {
    awaited->result = std::move(made);
    awaited->done.cancel();
    co_return;
  }
  if (!made) co_return;
  const std::string id = (*made)->id;
  Status removed = co_await boxes.Remove((*made)->account_id, id);
  log::Info("langsmith.late_box_removed", {{"box", id}, {"removed", removed ? "yes" : "no"}});
}

}  // namespace

Task<Result<boxes::BoxPtr>> CreateWithin(boxes::Boxes& boxes,
                                         boxes::CreateBox request,
                                         std::chrono::milliseconds patience) {
  auto executor = co_await asio::this_coro::executor;
  auto awaited = std::make_shared<Awaited>(executor);
  Abandoning abandoning{awaited};
  awaited->done.expires_after(patience);
  // Not owned by this coroutine: it ends before the creation does when the client hangs up.
  asio::co_spawn(executor, CreateAwaited(boxes, std::move(request), awaited), asio::detached);
  auto token = asio::as_tuple(asio::use_awaitable);
  if (!awaited->result) co_await awaited->done.async_wait(token);
  if (awaited->result) co_return *std::move(awaited->result);
  co_return Fail(ErrorCode::kUnavailable, std::string(kTooLate));
}

}  // namespace viv::langsmith
