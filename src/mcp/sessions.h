#pragma once
// MCP sessions. A session id is signed: it contains a signature over the lease it was made for, so
// that a restarted server still accepts it. Only ended sessions are stored. Thread-safe.

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

namespace viv::mcp {

class Sessions {
 public:
  explicit Sessions(std::string secret) : secret_(std::move(secret)) {}

  std::string Make(std::string_view lease_id) const;
  bool IsLive(std::string_view lease_id, std::string_view session_id) const;
  void End(std::string_view session_id);

 private:
  static constexpr std::size_t kEndedMax = 100'000;
  std::string Signature(std::string_view lease_id, std::string_view name) const;

  std::string secret_;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> ended_;  // guarded
};

}  // namespace viv::mcp
