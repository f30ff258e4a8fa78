#pragma once
// Records which sandbox was created with an Idempotency-Key, so that a repeated create returns the
// same one. Keys are kept in memory for a day; their number is limited, and the oldest is dropped
// first. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/result.h"

namespace viv::e2b {

class IdempotencyKeys {
 public:
  explicit IdempotencyKeys(std::size_t keys_max = 10'000) : keys_max_(keys_max) {}

  struct Claim {
    std::string account_id;
    std::string key;
    std::string body;  // of the request; another body with the same key is refused
  };
  enum class ClaimState {
    kFirst,       // the caller creates the sandbox and then calls Finish
    kMade,        // `sandbox_id` was created with this key
    kInProgress,  // another request is creating it
    kMismatch,    // the key was used with another body
  };
  struct ClaimResult {
    ClaimState state;
    std::string sandbox_id = {};
  };
  // Up to 255 bytes of key, which can be printed; else kInvalidArgument.
  Result<ClaimResult> Begin(const Claim& claim, std::int64_t now_ms);
  // Empty `sandbox_id`: it failed, the key is free again.
  void Finish(const Claim& claim, std::string sandbox_id);

 private:
  // One entry for each element of `oldest_first_`: a failed one stays, free for the next try.
  enum class State { kFree, kMaking, kMade };
  struct Entry {
    State state = State::kMaking;
    std::string body_hash;
    std::string sandbox_id;
    std::int64_t expires_ms = 0;
  };
  static std::string NameOf(const Claim& claim);
  void DropExpired(std::int64_t now_ms);

  std::size_t keys_max_;
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<std::string> oldest_first_;
};

}  // namespace viv::e2b
