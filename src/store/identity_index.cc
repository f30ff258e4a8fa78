#include "store/identity_index.h"

#include <algorithm>
#include <tuple>

namespace viv::store {
namespace {

template <typename T>
void SortOldestFirst(std::vector<T>& records) {
  std::sort(records.begin(), records.end(), [](const T& a, const T& b) {
    return std::tie(a.created_at_us, a.id) < std::tie(b.created_at_us, b.id);
  });
}

template <typename Map>
auto Values(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  values.reserve(map.size());
  for (const auto& [id, value] : map) values.push_back(value);
  SortOldestFirst(values);
  return values;
}

Status CheckId(std::string_view kind, std::string_view id) {
  if (!id.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, std::string(kind) + " needs an id");
}

tl::unexpected<Error> Exists(std::string what, std::string_view name) {
  return Fail(ErrorCode::kConflict, what + " " + std::string(name) + " exists");
}

tl::unexpected<Error> Missing(std::string what, std::string_view name) {
  return Fail(ErrorCode::kNotFound, what + " " + std::string(name) + " does not exist");
}

}  // namespace

Status IdentityIndex::CheckNew(const Organization& organization) const {
  RETURN_IF_ERROR(CheckId("an organization", organization.id));
  if (organizations_.contains(organization.id)) return Exists("organization", organization.id);
  if (organization_by_name_.contains(organization.name)) {
    return Exists("organization", organization.name);
  }
  return {};
}

Status IdentityIndex::CheckNew(const Account& account) const {
  RETURN_IF_ERROR(CheckId("an account", account.id));
  if (accounts_.contains(account.id)) return Exists("account", account.id);
  if (!organizations_.contains(account.organization_id)) {
    return Missing("organization", account.organization_id);
  }
  return {};
}

// Messages name a key by its id: neither the key nor its hash belongs in a log.
Status IdentityIndex::CheckNew(const Key& key) const {
  RETURN_IF_ERROR(CheckId("a key", key.id));
  if (key.hash.empty()) return Fail(ErrorCode::kInvalidArgument, "a key needs a hash");
  if (key_hashes_.contains(key.id)) return Exists("key", key.id);
  if (keys_by_hash_.contains(key.hash)) return Exists("the same key as", key.id);
  if (!accounts_.contains(key.account_id)) return Missing("account", key.account_id);
  return {};
}

Result<Account> IdentityIndex::PlanUpdate(const Account& account) const {
  ASSIGN_OR_RETURN(Account after, GetAccount(account.id));
  if (!organizations_.contains(account.organization_id)) {
    return Missing("organization", account.organization_id);
  }
  after.organization_id = account.organization_id;
  after.name = account.name;
  return after;
}

void IdentityIndex::Put(const Organization& organization) {
  organizations_[organization.id] = organization;
  organization_by_name_[organization.name] = organization.id;
}

void IdentityIndex::Put(const Account& account) {
  accounts_[account.id] = account;
}

void IdentityIndex::Put(const Key& key) {
  if (key_hashes_.emplace(key.id, key.hash).second) {
    hashes_of_account_[key.account_id].push_back(key.hash);
  }
  keys_by_hash_[key.hash] = key;
}

void IdentityIndex::Remove(const Organization& organization) {
  organization_by_name_.erase(organization.name);
  organizations_.erase(organization.id);
}

void IdentityIndex::Remove(const Account& account) {
  accounts_.erase(account.id);
}

void IdentityIndex::Remove(const Key& key) {
  std::erase(hashes_of_account_[key.account_id], key.hash);
  key_hashes_.erase(key.id);
  keys_by_hash_.erase(key.hash);
}

std::vector<Organization> IdentityIndex::Organizations() const {
  return Values(organizations_);
}

std::vector<Account> IdentityIndex::Accounts() const {
  return Values(accounts_);
}

std::vector<Key> IdentityIndex::KeysOf(std::string_view account_id) const {
  std::vector<Key> keys;
  auto hashes = hashes_of_account_.find(account_id);
  if (hashes == hashes_of_account_.end()) return keys;
  for (const std::string& hash : hashes->second) keys.push_back(keys_by_hash_.at(hash));
  SortOldestFirst(keys);
  return keys;
}

Result<Account> IdentityIndex::GetAccount(std::string_view id) const {
  auto found = accounts_.find(id);
  if (found == accounts_.end()) return Missing("account", id);
  return found->second;
}

Result<Key> IdentityIndex::GetKey(std::string_view account_id, std::string_view id) const {
  auto hash = key_hashes_.find(id);
  if (hash == key_hashes_.end()) return Missing("key", id);
  const Key& key = keys_by_hash_.at(hash->second);
  if (key.account_id != account_id) return Missing("key", id);  // another's key does not exist
  return key;
}

Result<Key> IdentityIndex::FindKeyByHash(std::string_view hash) const {
  auto found = keys_by_hash_.find(hash);
  if (found == keys_by_hash_.end() || found->second.revoked_at_us) {
    return Fail(ErrorCode::kNotFound, "there is no such key");
  }
  return found->second;
}

}  // namespace viv::store
