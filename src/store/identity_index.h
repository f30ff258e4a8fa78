#pragma once
// Organizations, accounts and keys in memory, and the rules of adding one. Not thread-safe: its
// owner locks.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace viv::store {

class IdentityIndex {
 public:
  // Whether the record may be added: the rules are those of AccountStore and KeyStore.
  Status CheckNew(const Organization& organization) const;
  Status CheckNew(const Account& account) const;
  Status CheckNew(const Key& key) const;

  // What UpdateAccount would put in its place, or why it may not.
  Result<Account> PlanUpdate(const Account& account) const;

  void Put(const Organization& organization);
  void Put(const Account& account);  // also in place of the one with the same id
  void Put(const Key& key);          // also in place of the one with the same id and hash

  void Remove(const Organization& organization);
  void Remove(const Account& account);
  void Remove(const Key& key);

  std::vector<Organization> Organizations() const;  // all lists oldest first
  std::vector<Account> Accounts() const;
  std::vector<Key> KeysOf(std::string_view account_id) const;
  Result<Account> GetAccount(std::string_view id) const;
  Result<Key> GetKey(std::string_view account_id, std::string_view id) const;
  Result<Key> FindKeyByHash(std::string_view hash) const;  // kNotFound also when revoked

 private:
  struct TextHash {
    using is_transparent = void;  // a lookup by string_view makes no copy
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename T>
  using ById = std::map<std::string, T, std::less<>>;

  ById<Organization> organizations_;
  std::map<std::string, std::string, std::less<>> organization_by_name_;
  ById<Account> accounts_;
  std::unordered_map<std::string, Key, TextHash, std::equal_to<>> keys_by_hash_;
  ById<std::string> key_hashes_;  // by the key's id
  ById<std::vector<std::string>> hashes_of_account_;
};

}  // namespace viv::store
