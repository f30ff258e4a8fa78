#pragma once
// Asio's errors as values: `auto [error, count] = co_await socket.async_read_some(buffer, kTuple);`

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace viv::http {

inline constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace viv::http
