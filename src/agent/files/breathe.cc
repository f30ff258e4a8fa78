#include "agent/files/breathe.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace viv::agent {

Task<void> LetOthersRun() {
  co_await asio::post(asio::use_awaitable);
}

}  // namespace viv::agent
