#pragma once
// Who may call. An organization has accounts, an account has keys; a key is shown once, when it is
// made, and kept as a digest.

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"

namespace viv::sandbox {

inline constexpr std::string_view kDefaultOrganization = "default";
inline constexpr std::string_view kDefaultAccount = "default";

class Accounts {
 public:
  explicit Accounts(store::Store& store) : store_(store) {}

  // Makes the default organization and account exist, and `key` (when given) valid for them.
  Status Prepare(const std::string& key);

  // The key's record; kUnauthenticated when there is no such key or it was revoked. Cheap: called
  // for every request.
  Result<store::Key> Authenticate(std::string_view key) const;

  struct NewKey {
    store::Key record;
    std::string key;  // "e2b_" and 40 hexadecimal digits; not kept anywhere
  };
  Result<NewKey> CreateKey(std::string_view account_id, std::string name);
  Result<std::vector<store::Key>> ListKeys(std::string_view account_id) const {
    return store_.ListKeys(account_id);
  }
  Status RevokeKey(std::string_view account_id, std::string_view key_id);

  static std::string GenerateKey();

 private:
  Status AddKey(std::string_view account_id,
                std::string name,
                const std::string& key,
                store::Key* record);

  store::Store& store_;
};

}  // namespace viv::sandbox
