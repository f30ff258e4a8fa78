#pragma once
// The accounts that may call this server. An organization has accounts, and an account has keys. A
// key is shown once, when it is created, and stored as a digest. Accounts of one organization may
// act for each other. Thread-safe.

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"

namespace viv::accounts {

inline constexpr std::string_view kDefaultOrganization = "default";
inline constexpr std::string_view kDefaultAccount = "default";

class Accounts {
 public:
  explicit Accounts(store::Store& store) : store_(store) {}

  // Creates the default organization and account if they do not exist, and makes `key`, when it is
  // given, valid for them.
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
  // kConflict for the account's only valid key: nobody could act for it any more.
  Status RevokeKey(std::string_view account_id, std::string_view key_id);
  // Creates a new key of the same name in place of `key_id`, which is revoked last: `store_key` is
  // called with the new key before that, and if it fails, the old key stays valid.
  Result<NewKey> RotateKey(std::string_view account_id,
                           std::string_view key_id,
                           const std::function<Status(const NewKey&)>& store_key);

  static std::string GenerateKey();

  // Names have 1 to 64 letters, digits, '-', '_', '.', '@' and inner spaces, are not shaped like an
  // id, and are given once; kConflict for a second time.
  Result<store::Organization> CreateOrganization(std::string name);
  // Its id is a UUID. An organization is given by name or id; empty: it gets one of its own, for
  // accounts of one organization may act for each other.
  Result<store::Account> CreateAccount(std::string name, std::string_view organization);
  // Both by name or id. Moving it to where it is already is fine. The default account stays where
  // it is: it is the operator's.
  Status MoveAccount(std::string_view account, std::string_view organization);

  Result<std::vector<store::Organization>> ListOrganizations() const {  // all lists oldest first
    return store_.ListOrganizations();
  }
  Result<std::vector<store::Account>> ListAccounts() const { return store_.ListAccounts(); }
  Result<store::Organization> FindOrganization(std::string_view name_or_id) const;
  Result<store::Account> FindAccount(std::string_view name_or_id) const;

  // The account's UUID, for clients that identify accounts by UUID: the id itself when it is a
  // UUID, else a UUID that is derived from the id.
  std::string UuidOf(std::string_view account_id) const;
  Result<store::Account> FindByUuid(std::string_view uuid) const;

  // Whether `caller` may use what belongs to `target`: they are the same account, or are in the
  // same organization. Cheap: called for every request.
  bool MayActFor(std::string_view caller, std::string_view target) const;

 private:
  Status AddKey(std::string_view account_id,
                std::string name,
                const std::string& key,
                store::Key* record);

  store::Store& store_;
  std::mutex revoke_mutex_;  // locked from the check for other valid keys until the key is revoked
  std::mutex
      names_mutex_;  // locked from the check whether a name is taken until its account exists
};

}  // namespace viv::accounts
