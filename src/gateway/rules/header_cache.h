#pragma once
// What others said which headers to add, for as long as they said it holds: one question is under
// way for a key at a time, and whoever asks meanwhile waits for the same answer. Failures are told
// to all of them and kept for nobody. Bounded in entries and bytes. One loop; the question goes on
// when the first who asked has left, also when the cache is gone.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::gateway {

struct HeadersWithTtl {
  http::Headers headers;
  std::chrono::seconds ttl{0};  // 0: for those who wait alone
};

class HeaderCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Now = std::function<TimePoint()>;
  using Fetch = std::function<Task<Result<HeadersWithTtl>>()>;

  static constexpr std::size_t kEntriesMax = 256;
  static constexpr std::size_t kBytesMax = 32 * 1024;  // of names and values
  static constexpr std::size_t kPendingMax = 64;       // at once; kLimitExceeded above

  explicit HeaderCache(Now now = std::chrono::steady_clock::now);

  std::optional<http::Headers> Find(const std::string& key);  // what still holds
  Task<Result<http::Headers>> Get(std::string key, Fetch fetch_headers);

  std::size_t entries() const;

 private:
  struct PendingFetch;
  struct State;
  static Task<void> RunFetch(std::shared_ptr<State> state,
                             std::shared_ptr<PendingFetch> fetch,
                             Fetch fetch_headers);

  const std::shared_ptr<State> state_;  // shared with the questions
};

}  // namespace viv::gateway
