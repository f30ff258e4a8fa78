#include "dialects/e2b/idempotency.h"

#include <algorithm>

#include "base/ids.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kKeyBytesMax = 255;
constexpr std::int64_t kKeyLifetimeMs = 24LL * 60 * 60 * 1000;

}  // namespace

// A key may hold any byte, so accounts are told apart by length, not by a separator.
std::string IdempotencyKeys::NameOf(const Claim& claim) {
  return std::to_string(claim.account_id.size()) + ':' + claim.account_id + claim.key;
}

void IdempotencyKeys::DropExpired(std::int64_t now_ms) {
  while (!oldest_first_.empty()) {
    auto oldest = entries_.find(oldest_first_.front());
    if (oldest->second.expires_ms > now_ms && entries_.size() < keys_max_) return;
    entries_.erase(oldest);
    oldest_first_.pop_front();
  }
}

Result<IdempotencyKeys::ClaimResult> IdempotencyKeys::Begin(const Claim& claim,
                                                            std::int64_t now_ms) {
  const bool printable =
      std::all_of(claim.key.begin(), claim.key.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (claim.key.size() > kKeyBytesMax || !printable)
    return Fail(ErrorCode::kInvalidArgument,
                "An Idempotency-Key has at most 255 characters, all of them printable ASCII");
  std::string name = NameOf(claim);
  std::string hash = Sha256Hex(claim.body);
  std::lock_guard lock(mutex_);
  DropExpired(now_ms);
  auto [found, is_new] = entries_.try_emplace(name);
  Entry& entry = found->second;
  if (is_new) {
    entry.expires_ms = now_ms + kKeyLifetimeMs;
    oldest_first_.push_back(std::move(name));
  }
  if (is_new || entry.state == State::kFree) {
    entry.state = State::kMaking;
    entry.body_hash = std::move(hash);
    return ClaimResult{ClaimState::kFirst};
  }
  if (entry.body_hash != hash) return ClaimResult{ClaimState::kMismatch};
  if (entry.state == State::kMaking) return ClaimResult{ClaimState::kInProgress};
  return ClaimResult{ClaimState::kMade, entry.sandbox_id};
}

void IdempotencyKeys::Finish(const Claim& claim, std::string sandbox_id) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(NameOf(claim));
  if (found == entries_.end()) return;
  found->second.state = sandbox_id.empty() ? State::kFree : State::kMade;
  found->second.sandbox_id = std::move(sandbox_id);
}

}  // namespace viv::e2b
