#pragma once
// The secrets that an account stores for the requests of its boxes. A value is write-only: it is
// encrypted at rest, decrypted for the gateway for one request at a time, and returned by no API.
// Only the newest value and the number of its version are stored, because an old value would only
// help a thief. Names are stored in lower case and are compared without regard to case.
// Thread-safe.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/document_table.h"
#include "accounts/sealer.h"
#include "base/async_mutex.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "gateway/gateway.h"

namespace viv::accounts {

inline constexpr std::size_t kSecretsPerAccountMax = 1000;
inline constexpr std::size_t kSecretValueBytesMax = 64 * 1024;

struct AccountSecret {
  std::string id;  // "sec_" and 20 of [a-z0-9]
  std::string name;
  std::int64_t version = 1;
  std::map<std::string, std::string> metadata;
  std::int64_t created_at_us = 0, updated_at_us = 0;
};

class AccountSecrets final : public gateway::SecretSource {
 public:
  // `table` and `sealer` outlive this object. No other code writes to the table.
  AccountSecrets(DocumentTable& table,
                 const Sealer& sealer,
                 std::function<std::int64_t()> now_us = NowMicros);

  // A name has 1 to 128 letters, digits, '-' and '_', and does not begin like an id; a value is not
  // empty and has no NUL: kInvalidArgument. kConflict when the name is taken.
  Task<Result<AccountSecret>> Create(std::string account_id,
                                     std::string name,
                                     std::string value,
                                     std::map<std::string, std::string> metadata);
  // Stores a new version; metadata that is not given stays as it is. kNotFound for a secret of
  // another account, as for none.
  Task<Result<AccountSecret>> Update(std::string account_id,
                                     std::string id_or_name,
                                     std::string value,
                                     std::optional<std::map<std::string, std::string>> metadata);
  Result<AccountSecret> Get(std::string_view account_id, std::string_view id_or_name) const;
  std::vector<AccountSecret> List(std::string_view account_id) const;  // newest first
  Task<Status> Remove(std::string account_id, std::string id_or_name);

  // Also kInvalidArgument for a reference that cannot be read, and kLimitExceeded for a text that
  // becomes too long.
  Result<std::string> Reveal(const std::string& account_id,
                             const gateway::SecretText& text) override;

 private:
  DocumentTable::EntryPtr FindEntry(std::string_view account_id, std::string_view id_or_name) const;
  Result<std::string> Value(std::string_view account_id, std::string_view id_or_name) const;
  std::size_t CountOf(const std::string& account_id) const;
  AsyncMutex& MutexOf(const std::string& account_id);
  Task<Status> Store(std::string account_id, AccountSecret secret, std::string value);

  DocumentTable& table_;
  const Sealer& sealer_;
  const std::function<std::int64_t()> now_us_;
  // One for each hash of an account id, locked while secrets of the account are read and then
  // changed.
  std::array<AsyncMutex, 64> mutexes_;
  mutable std::shared_mutex mutex_;  // guards the one below
  // Maps the names of each account's secrets to their ids, because references are resolved at every
  // request.
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> names_;
};

}  // namespace viv::accounts
