#pragma once
// Caches headers that callbacks or token endpoints returned, for the time that they allow. One
// fetch runs for a key at a time, and all callers meanwhile wait for its result. A failure is
// returned to all of them and not cached. Bounded in entries and bytes. Belongs to one loop. A
// fetch continues after its first caller has gone, and after the cache is destroyed.

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
  std::chrono::seconds ttl{0};  // 0: only for the callers that wait now
};

class HeaderCache {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Now = std::function<TimePoint()>;
  using Fetch = std::function<Task<Result<HeadersWithTtl>>()>;

  static constexpr std::size_t kEntriesMax = 256;
  static constexpr std::size_t kBytesMax = 32 * 1024;  // of keys, names and values
  static constexpr std::size_t kPendingMax = 64;       // at once; further ones are kLimitExceeded

  explicit HeaderCache(Now now = std::chrono::steady_clock::now);

  std::optional<http::Headers> Find(const std::string& key);  // an entry that has not expired
  Task<Result<http::Headers>> Get(std::string key, Fetch fetch_headers);

  std::size_t entries() const;

 private:
  struct PendingFetch;
  struct State;
  static Task<void> RunFetch(std::shared_ptr<State> state,
                             std::shared_ptr<PendingFetch> fetch,
                             Fetch fetch_headers);

  const std::shared_ptr<State> state_;  // shared with the running fetches
};

}  // namespace viv::gateway
