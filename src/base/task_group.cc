#include "base/task_group.h"

#include <exception>
#include <list>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include "base/log.h"

namespace viv {

struct TaskGroup::State {
  asio::any_io_executor executor;
  std::list<asio::cancellation_signal> signals;
};

TaskGroup::TaskGroup(asio::any_io_executor executor)
    : state_(std::make_shared<State>(State{std::move(executor), {}})) {}

TaskGroup::~TaskGroup() {
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
    state->signals.erase(signal);
  };
  asio::co_spawn(state_->executor, std::move(task),
                 asio::bind_cancellation_slot(signal->slot(), std::move(on_done)));
}

}  // namespace viv
