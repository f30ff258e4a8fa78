#include "agent/files/yield.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv::agent {

Task<void> Yield() {
  co_await asio::post(asio::use_awaitable);
}

}  // namespace viv::agent
