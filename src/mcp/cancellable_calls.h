#pragma once
// The pending tool calls, by which a client's cancellation finds its call. Thread-safe.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/json.h"
#include "base/task.h"

namespace viv::mcp {

class CancellableCalls {
 public:
  struct State {
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::function<void()> wake;  // guarded; set while the call sleeps
  };

  // One call. The destructor removes it.
  class Call {
   public:
    Call(CancellableCalls& owner, std::string key, std::shared_ptr<State> state)
        : owner_(&owner), key_(std::move(key)), state_(std::move(state)) {}
    Call(Call&&) = default;
    Call& operator=(Call&&) = delete;
    ~Call();

    const std::atomic<bool>& cancelled() const { return state_->cancelled; }
    Task<void> Sleep(std::chrono::milliseconds time);  // returns early when the call is cancelled

   private:
    CancellableCalls* owner_;
    std::string key_;
    std::shared_ptr<State> state_;  // shared with a cancellation under way
  };

  // A lease's second call under the same id takes the first one's place: only the later can be
  // cancelled.
  Call Begin(const std::string& lease_id, const json::value& request_id);
  void Cancel(const std::string& lease_id, const json::value& request_id);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<State>> calls_;  // guarded
};

}  // namespace viv::mcp
