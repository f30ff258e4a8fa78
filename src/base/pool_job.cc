#include "base/pool_job.h"

#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv {
namespace {

template <typename Body>
class PoolJobOf : public PoolJob {
 public:
  explicit PoolJobOf(Body body) : body_(std::move(body)) {}
  void Run() override { body_(); }

 private:
  Body body_;
};

}  // namespace

Task<void> RunAsJob(const std::function<void()>& work, const SubmitJob& submit) {
  auto start = [&work, &submit](auto handler) {
    // Tracked: the waiter's context keeps running meanwhile.
    auto executor = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
    auto body = [&work, handler = std::move(handler), executor]() mutable {
      work();
      asio::post(executor, std::move(handler));
    };
    submit(std::make_unique<PoolJobOf<decltype(body)>>(std::move(body)));
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(start, asio::use_awaitable);
}

}  // namespace viv
