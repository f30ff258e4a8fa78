// What clients send to a command's standard input or terminal. It is queued, so that a command that
// does not read its input does not block other frames, and written in order.

#include "agent/dataplane/command.h"

namespace viv::agent {
namespace {

constexpr std::chrono::seconds kCommandInputTimeout{10};

}  // namespace

Command::InputTaken Command::QueueInput(std::string bytes) {
  if (!takes_input_ || ended()) return InputTaken::kClosed;
  if (bytes.empty()) return InputTaken::kYes;
  input_bytes_ += bytes.size();
  input_queue_.push_back(std::move(bytes));
  input_queued_.NotifyAll();
  return InputTaken::kYes;
}

void Command::QueueInputEnd() {
  if (!takes_input_ || info_.pty) return;
  takes_input_ = false;
  input_queue_.push_back(std::nullopt);
  input_queued_.NotifyAll();
}

Task<void> Command::PumpInput() {
  auto self = shared_from_this();
  const InputKind kind = info_.pty ? InputKind::kTerminal : InputKind::kStdin;
  while (!ended()) {
    if (input_queue_.empty()) {
      co_await input_queued_.WaitUntil(Time::max());
      continue;
    }
    std::optional<std::string> next = std::move(input_queue_.front());
    input_queue_.pop_front();
    // A command that has closed its input or ended needs none, and no client is informed.
    if (!next) {
      (void)co_await CloseInput(Time::max());
      co_return;
    }
    std::size_t size = next->size();
    (void)co_await Write(kind, *std::move(next), Time::max());
    input_bytes_ -= size;
    input_written_.NotifyAll();
  }
}

Task<bool> Command::WaitForInputRoom() {
  auto self = shared_from_this();
  while (input_bytes_ > kInputBytesMax && !ended()) {
    std::size_t before = input_bytes_;
    Time deadline = std::chrono::steady_clock::now() + kCommandInputTimeout;
    co_await input_written_.WaitUntil(deadline);
    bool late = std::chrono::steady_clock::now() >= deadline;
    if (late && input_bytes_ >= before) co_return false;
  }
  co_return true;
}

}  // namespace viv::agent
