#include "agent/process/notifier.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv::agent {
namespace {

// A waiter's place in the list, for as long as it waits, however that ends.
class ListEntry {
 public:
  ListEntry(std::list<asio::steady_timer*>& list, asio::steady_timer& timer)
      : list_(list), place_(list.insert(list.end(), &timer)) {}
  ~ListEntry() { list_.erase(place_); }
  ListEntry(const ListEntry&) = delete;
  ListEntry& operator=(const ListEntry&) = delete;

 private:
  std::list<asio::steady_timer*>& list_;
  std::list<asio::steady_timer*>::iterator place_;
};

}  // namespace

void Notifier::NotifyAll() {
  for (asio::steady_timer* timer : waiting_) timer->cancel();
}

Task<void> Notifier::WaitUntil(Time deadline) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, deadline);
  ListEntry place(waiting_, timer);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace viv::agent
