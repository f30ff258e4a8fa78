#pragma once
// The records we persist: who calls (organization, account, key) and what they hold (sandbox).
// Plain values; the rules that connect them live in src/sandbox.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace viv::store {

struct Organization {
  std::string id;
  std::string name;
  std::int64_t created_at_us = 0;
};

struct Account {
  std::string id;
  std::string organization_id;
  std::string name;
  std::int64_t created_at_us = 0;
};

// The key itself is never stored: only its SHA-256, and its first characters so that a person can
// tell keys apart.
struct Key {
  std::string id;
  std::string account_id;
  std::string name;
  std::string hash;    // SHA-256, hexadecimal
  std::string prefix;  // "e2b_1a2b"
  std::int64_t created_at_us = 0;
  std::optional<std::int64_t> revoked_at_us;
};

enum class SandboxKind { kWorld, kBox };
enum class SandboxState { kIdle, kOccupied, kError };

// One sandbox. A world's row is a pooled account: `id` and `email` stay for good, the lease and
// what belongs to it come and go with acquire and release.
struct Sandbox {
  std::string id;
  SandboxKind kind = SandboxKind::kWorld;
  std::string server;  // the app's name: "slack"
  std::string email;   // the pooled account's own address, unique per server
  SandboxState state = SandboxState::kIdle;
  std::string account_id;                     // the holder; empty while idle
  std::string lease_id;                       // the capability in the MCP URL; empty while idle
  std::optional<std::int64_t> expires_at_us;  // of the lease; nullopt never expires
  std::string benchmark;                      // the profile it was acquired with; empty for none
  std::string image;                          // id of the seed image its world stands on
  std::string tags_json;                      // as given: an object, a list or "null"
  std::string settings_json;                  // faults and clock, as last set; "{}" for none
  std::string error;                          // why state is kError
  std::int64_t created_at_us = 0;
  std::int64_t updated_at_us = 0;
};

// Shared because a record never changes once made: a writer puts a new one in its place, and a
// reader keeps the one it got without a copy and without a lock.
using SandboxPtr = std::shared_ptr<const Sandbox>;

// A record whose meaning is its owner's, such as a box or a snapshot: text under a kind and an id.
struct Document {
  std::string kind;
  std::string id;
  std::string account_id;
  std::string body;
};

}  // namespace viv::store
