#include "store/sqlite/waiter.h"

#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv::store {
namespace {

template <typename Handler>
class HandlerWaiter : public Waiter {
 public:
  explicit HandlerWaiter(Handler handler)
      : executor_(asio::prefer(asio::get_associated_executor(handler),
                               asio::execution::outstanding_work.tracked)),
        handler_(std::move(handler)) {}

  void Done(Status status) override {
    auto resume = [handler = std::move(handler_), status = std::move(status)]() mutable {
      std::move(handler)(std::move(status));
    };
    asio::post(executor_, std::move(resume));
  }

 private:
  asio::any_io_executor executor_;  // tracked: its context keeps running while we wait
  Handler handler_;
};

}  // namespace

Task<Status> UntilDone(const std::function<void(std::unique_ptr<Waiter>)>& begin) {
  auto initiate = [&begin](auto handler) {
    begin(std::make_unique<HandlerWaiter<decltype(handler)>>(std::move(handler)));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Status)>(
      initiate, asio::use_awaitable);
}

}  // namespace viv::store
