#include "base/task_group.h"

#include <exception>
#include <list>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include "base/log.h"

namespace viv {

struct TaskGroup::State {
  asio::any_io_executor executor;
  std::list<asio::cancellation_signal> signals;
  bool cancelled = false;
};

TaskGroup::TaskGroup(asio::any_io_executor executor)
    : state_(std::make_shared<State>(State{std::move(executor), {}, false})) {}

TaskGroup::~TaskGroup() {
  state_->cancelled = true;
  for (auto& signal : state_->signals) signal.emit(asio::cancellation_type::terminal);
}

void TaskGroup::Spawn(std::string name, Task<void> task) {
  auto signal = state_->signals.emplace(state_->signals.end());
  auto on_done = [state = state_, signal, name = std::move(name)](std::exception_ptr failure) {
    if (failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& e) {
        log::Error("task.failed", {{"task", name}, {"error", e.what()}});
      }
    }
    if (!state->cancelled) {
      state->signals.erase(signal);
    } else {
      // Off the executor's thread the cancellation is queued there, and may find this task ended:
      // the signal it goes through has to be there still.
      asio::post(state->executor, [state] {});
    }
  };
  asio::co_spawn(state_->executor, std::move(task),
                 asio::bind_cancellation_slot(signal->slot(), std::move(on_done)));
}

}  // namespace viv
