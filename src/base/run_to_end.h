#pragma once
// Runs a task to its end on the calling thread, which blocks meanwhile. Never call it on a thread
// that serves connections.

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "base/task.h"

namespace viv {

template <typename T>
T RunToEnd(Task<T> task) {
  asio::io_context io;
  std::optional<T> result;
  auto on_end = [&result](std::exception_ptr failure, T value) {
    if (failure) std::rethrow_exception(failure);
    result = std::move(value);
  };
  asio::co_spawn(io, std::move(task), on_end);
  io.run();
  CHECK(result.has_value());
  return std::move(*result);
}

}  // namespace viv
