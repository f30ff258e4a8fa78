#include "accounts/accounts.h"

#include <algorithm>
#include <cctype>

#include "base/ids.h"
#include "base/text.h"

namespace viv::accounts {
namespace {

constexpr std::size_t kShownPrefix = 8;
constexpr std::size_t kKeyBytesMin = 8;  // a key that an operator sets
constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kIdentityNameMax = 64;

bool IsConflict(const Status& status) {
  return !status && status.error().code == ErrorCode::kConflict;
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-_. @").find(c) != std::string_view::npos;
}

// A name shaped like an id could be taken for somebody else's.
Status CheckIdentityName(std::string_view name) {
  bool good = !name.empty() && name.size() <= kIdentityNameMax && Trim(name) == name &&
              std::all_of(name.begin(), name.end(), IsNameCharacter);
  if (!good)
    return Fail(ErrorCode::kInvalidArgument,
                "name: 1 to 64 letters, digits, '-', '_', '.', '@' and inner spaces are expected");
  if (IsUuid(name)) return Fail(ErrorCode::kInvalidArgument, "name: it must not look like an id");
  return {};
}

template <typename Record>
Result<Record> FindByNameOrId(Result<std::vector<Record>> records,
                              std::string_view wanted,
                              std::string_view kind) {
  if (!records) return PassUp(std::move(records).error());
  for (auto member : {&Record::id, &Record::name}) {
    auto found = std::find_if(records->begin(), records->end(),
                              [&](const Record& record) { return record.*member == wanted; });
    if (found != records->end()) return std::move(*found);
  }
  return Fail(ErrorCode::kNotFound, "there is no " + std::string(kind) + " '" +
                                        Printable(wanted, kIdentityNameMax) + "'");
}

}  // namespace

std::string Accounts::GenerateKey() {
  return "e2b_" + RandomHex(40);
}

Status Accounts::Prepare(const std::string& key) {
  std::string id(kDefaultOrganization);
  Status made = store_.CreateOrganization({id, id, NowMicros()});
  if (!made && !IsConflict(made)) return made;
  made = store_.CreateAccount(
      {std::string(kDefaultAccount), id, std::string(kDefaultAccount), NowMicros()});
  if (!made && !IsConflict(made)) return made;
  if (key.empty()) return {};
  if (key.size() < kKeyBytesMin)
    return Fail(ErrorCode::kInvalidArgument, "a key needs at least 8 characters");
  store::Key ignored;
  made = AddKey(kDefaultAccount, "from the command line", key, &ignored);
  return IsConflict(made) ? Status() : made;
}

Result<store::Key> Accounts::Authenticate(std::string_view key) const {
  auto found = store_.FindKeyByHash(Sha256Hex(key));
  if (!found) return Fail(ErrorCode::kUnauthenticated, "Invalid API key");
  return found;
}

Status Accounts::AddKey(std::string_view account_id,
                        std::string name,
                        const std::string& key,
                        store::Key* record) {
  record->id = RandomUuid();
  record->account_id = account_id;
  record->name = std::move(name);
  record->hash = Sha256Hex(key);
  record->prefix = key.substr(0, kShownPrefix);
  record->created_at_us = NowMicros();
  return store_.CreateKey(*record);
}

Result<Accounts::NewKey> Accounts::CreateKey(std::string_view account_id, std::string name) {
  if (name.size() > kNameBytesMax)
    return Fail(ErrorCode::kInvalidArgument, "a key's name has at most 100 characters");
  NewKey made;
  made.key = GenerateKey();
  RETURN_IF_ERROR(AddKey(account_id, std::move(name), made.key, &made.record));
  return made;
}

Status Accounts::RevokeKey(std::string_view account_id, std::string_view key_id) {
  std::lock_guard lock(revoke_mutex_);
  ASSIGN_OR_RETURN(std::vector<store::Key> keys, store_.ListKeys(account_id));
  auto valid = [](const store::Key& key) { return !key.revoked_at_us; };
  const auto count = std::count_if(keys.begin(), keys.end(), valid);
  const bool is_valid = std::any_of(keys.begin(), keys.end(), [&](const store::Key& key) {
    return key.id == key_id && valid(key);
  });
  if (is_valid && count == 1) {
    return Fail(ErrorCode::kConflict,
                "this is the account's only valid key, and without one nobody gets in: `viv key "
                "rotate` puts a new key in its place");
  }
  return store_.RevokeKey(account_id, key_id, NowMicros());
}

Result<Accounts::NewKey> Accounts::RotateKey(
    std::string_view account_id,
    std::string_view key_id,
    const std::function<Status(const NewKey&)>& store_key) {
  std::lock_guard lock(revoke_mutex_);
  ASSIGN_OR_RETURN(std::vector<store::Key> keys, store_.ListKeys(account_id));
  auto old = std::find_if(keys.begin(), keys.end(), [&](const store::Key& key) {
    return key.id == key_id && !key.revoked_at_us;
  });
  if (old == keys.end())
    return Fail(ErrorCode::kNotFound, "the account has no valid key with this id");
  ASSIGN_OR_RETURN(NewKey made, CreateKey(account_id, old->name));
  Status done = store_key ? store_key(made) : Status();
  if (done) done = store_.RevokeKey(account_id, key_id, NowMicros());
  if (done) return made;
  Status undone = store_.RevokeKey(account_id, made.record.id, NowMicros());
  if (!undone) return PassUp(std::move(undone).error(), "take back the new key");
  return PassUp(std::move(done).error());
}

Result<store::Organization> Accounts::CreateOrganization(std::string name) {
  RETURN_IF_ERROR(CheckIdentityName(name));
  store::Organization made{RandomUuid(), std::move(name), NowMicros()};
  Status created = store_.CreateOrganization(made);
  if (IsConflict(created))
    return Fail(ErrorCode::kConflict, "there is an organization '" + made.name + "' already");
  if (!created) return PassUp(std::move(created).error());
  return made;
}

Result<store::Account> Accounts::CreateAccount(std::string name, std::string_view organization) {
  RETURN_IF_ERROR(CheckIdentityName(name));
  std::lock_guard lock(names_mutex_);
  if (FindAccount(name))
    return Fail(ErrorCode::kConflict, "there is an account '" + name + "' already");
  auto owner = organization.empty() ? CreateOrganization(name) : FindOrganization(organization);
  if (!owner) return PassUp(std::move(owner).error());
  store::Account made{RandomUuid(), owner->id, std::move(name), NowMicros()};
  RETURN_IF_ERROR(store_.CreateAccount(made));
  return made;
}

Status Accounts::MoveAccount(std::string_view account, std::string_view organization) {
  ASSIGN_OR_RETURN(store::Account moved, FindAccount(account));
  ASSIGN_OR_RETURN(store::Organization owner, FindOrganization(organization));
  if (moved.organization_id == owner.id) return {};
  if (moved.id == kDefaultAccount)
    return Fail(ErrorCode::kInvalidArgument,
                "the default account is the operator's and stays in its organization");
  moved.organization_id = owner.id;
  return store_.UpdateAccount(moved);
}

Result<store::Organization> Accounts::FindOrganization(std::string_view name_or_id) const {
  return FindByNameOrId(store_.ListOrganizations(), name_or_id, "organization");
}

Result<store::Account> Accounts::FindAccount(std::string_view name_or_id) const {
  return FindByNameOrId(store_.ListAccounts(), name_or_id, "account");
}

std::string Accounts::UuidOf(std::string_view account_id) const {
  return IsUuid(account_id) ? std::string(account_id) : NameUuid(account_id);
}

Result<store::Account> Accounts::FindByUuid(std::string_view uuid) const {
  auto missing = Fail(ErrorCode::kNotFound, "there is no such account");
  if (!IsUuid(uuid)) return missing;
  const std::string wanted = ToLower(uuid);
  if (auto found = store_.GetAccount(wanted)) return found;
  ASSIGN_OR_RETURN(std::vector<store::Account> all, store_.ListAccounts());
  for (store::Account& account : all)
    if (!IsUuid(account.id) && NameUuid(account.id) == wanted) return std::move(account);
  return missing;
}

bool Accounts::MayActFor(std::string_view caller, std::string_view target) const {
  if (caller.empty() || target.empty()) return false;
  if (caller == target) return true;
  auto one = store_.GetAccount(caller);
  if (!one) return false;
  auto other = store_.GetAccount(target);
  return other && one->organization_id == other->organization_id;
}

}  // namespace viv::accounts
