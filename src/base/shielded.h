#pragma once
// Runs a task to its end even if the coroutine that waits for it is cancelled. This is for work
// that must not stop half-way because a client hung up.

#include <optional>
#include <utility>

#include "base/task.h"

namespace viv {

Task<void> Shielded(Task<void> task);

template <typename T>
Task<void> StoreResult(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

// One operation of Asio for results of every type: each would cost the compiler seconds.
template <typename T>
Task<T> Shielded(Task<T> task) {
  std::optional<T> result;
  Task<void> stored = StoreResult(std::move(task), result);
  co_await Shielded(std::move(stored));
  co_return std::move(*result);
}

}  // namespace viv
