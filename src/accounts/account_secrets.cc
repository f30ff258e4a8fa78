#include "accounts/account_secrets.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <mutex>
#include <tuple>

#include "accounts/secret_references.h"
#include "base/ids.h"
#include "base/text.h"

namespace viv::accounts {
namespace {

constexpr std::string_view kSecretIdPrefix = "sec_";
constexpr std::size_t kRevealedBytesMax = 256 * 1024;

void Wipe(std::string& text) {
  OPENSSL_cleanse(text.data(), text.size());
}

std::string SealPurpose(std::string_view account_id, std::string_view id) {
  return "secret:" + std::string(account_id) + ':' + std::string(id);
}

json::object WriteSecretRecord(const AccountSecret& secret, std::string sealed) {
  json::object metadata;
  for (const auto& [key, value] : secret.metadata) metadata[key] = value;
  return {{"name", secret.name},
          {"version", secret.version},
          {"metadata", std::move(metadata)},
          {"created_at_us", secret.created_at_us},
          {"updated_at_us", secret.updated_at_us},
          {"sealed", std::move(sealed)}};
}

std::int64_t NumberIn(const json::value& body, std::string_view name) {
  const json::value* number = Find(body, name);
  return number != nullptr && number->is_int64() ? number->get_int64() : 0;
}

AccountSecret ReadSecretRecord(const DocumentTable::Entry& entry) {
  AccountSecret secret;
  secret.id = entry.id;
  secret.name = FindString(entry.body, "name");
  secret.version = NumberIn(entry.body, "version");
  secret.created_at_us = NumberIn(entry.body, "created_at_us");
  secret.updated_at_us = NumberIn(entry.body, "updated_at_us");
  const json::value* metadata = Find(entry.body, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return secret;
  for (const auto& member : metadata->get_object())
    if (member.value().is_string())
      secret.metadata.emplace(member.key(), View(member.value().get_string()));
  return secret;
}

Status CheckNewName(std::string_view name) {
  if (!IsSecretName(name))
    return Fail(ErrorCode::kInvalidArgument,
                "name: 1 to 128 letters, digits, '-' and '_' are expected");
  if (ToLower(name).starts_with(kSecretIdPrefix))
    return Fail(ErrorCode::kInvalidArgument,
                "name: the prefix sec_ is reserved for ids of secrets; take another name");
  return {};
}

Status CheckNewValue(std::string_view value) {
  if (value.empty())
    return Fail(ErrorCode::kInvalidArgument, "value: a secret's value cannot be empty");
  if (value.size() > kSecretValueBytesMax)
    return Fail(ErrorCode::kInvalidArgument, "value: a secret has at most 65536 bytes");
  if (value.find('\0') != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument, "value: a secret has no NUL characters");
  return {};
}

tl::unexpected<Error> NoSuchSecret(std::string_view id_or_name) {
  return Fail(ErrorCode::kNotFound,
              "secret '" + Printable(id_or_name, kSecretNameBytesMax) + "' not found");
}

}  // namespace

AccountSecrets::AccountSecrets(DocumentTable& table,
                               const Sealer& sealer,
                               std::function<std::int64_t()> now_us)
    : table_(table), sealer_(sealer), now_us_(std::move(now_us)) {
  for (const DocumentTable::EntryPtr& entry : table_.All())
    names_[entry->account_id][std::string(FindString(entry->body, "name"))] = entry->id;
}

AsyncMutex& AccountSecrets::MutexOf(const std::string& account_id) {
  return mutexes_[std::hash<std::string>()(account_id) % mutexes_.size()];
}

DocumentTable::EntryPtr AccountSecrets::FindEntry(std::string_view account_id,
                                                  std::string_view id_or_name) const {
  std::string id = ToLower(id_or_name);
  if (!id.starts_with(kSecretIdPrefix)) {
    std::shared_lock lock(mutex_);
    auto names = names_.find(account_id);
    if (names == names_.end()) return nullptr;
    auto found = names->second.find(id);
    if (found == names->second.end()) return nullptr;
    id = found->second;
  }
  return table_.Find(account_id, id);
}

std::size_t AccountSecrets::CountOf(const std::string& account_id) const {
  std::shared_lock lock(mutex_);
  auto names = names_.find(account_id);
  return names == names_.end() ? 0 : names->second.size();
}

Task<Status> AccountSecrets::Store(std::string account_id,
                                   AccountSecret secret,
                                   std::string value) {
  std::string sealed = sealer_.Seal(SealPurpose(account_id, secret.id), value);
  Wipe(value);
  DocumentTable::Entry entry{secret.id, account_id, WriteSecretRecord(secret, std::move(sealed))};
  CO_RETURN_IF_ERROR(co_await table_.Put(std::move(entry)), "store secret " + secret.name);
  std::unique_lock lock(mutex_);
  names_[account_id][secret.name] = secret.id;
  co_return Status();
}

Task<Result<AccountSecret>> AccountSecrets::Create(std::string account_id,
                                                   std::string name,
                                                   std::string value,
                                                   std::map<std::string, std::string> metadata) {
  CO_RETURN_IF_ERROR(CheckNewName(name));
  CO_RETURN_IF_ERROR(CheckNewValue(value));
  AccountSecret secret;
  secret.id = "sec_" + RandomLettersAndDigits(20);
  secret.name = ToLower(name);
  secret.metadata = std::move(metadata);
  AsyncMutex::Lock account_lock = co_await MutexOf(account_id).Acquire();
  if (FindEntry(account_id, secret.name) != nullptr)
    co_return Fail(ErrorCode::kConflict,
                   "secret '" + secret.name + "' already exists; update it to give it a new value");
  if (CountOf(account_id) >= kSecretsPerAccountMax)
    co_return Fail(ErrorCode::kLimitExceeded,
                   "an account has at most 1000 secrets; delete some that are not used");
  secret.created_at_us = secret.updated_at_us = now_us_();
  CO_RETURN_IF_ERROR(co_await Store(std::move(account_id), secret, std::move(value)));
  co_return secret;
}

Task<Result<AccountSecret>> AccountSecrets::Update(
    std::string account_id,
    std::string id_or_name,
    std::string value,
    std::optional<std::map<std::string, std::string>> metadata) {
  CO_RETURN_IF_ERROR(CheckNewValue(value));
  AsyncMutex::Lock account_lock = co_await MutexOf(account_id).Acquire();
  ASSIGN_OR_CO_RETURN(AccountSecret secret, Get(account_id, id_or_name));
  ++secret.version;
  if (metadata) secret.metadata = *std::move(metadata);
  secret.updated_at_us = now_us_();
  CO_RETURN_IF_ERROR(co_await Store(std::move(account_id), secret, std::move(value)));
  co_return secret;
}

Result<AccountSecret> AccountSecrets::Get(std::string_view account_id,
                                          std::string_view id_or_name) const {
  DocumentTable::EntryPtr entry = FindEntry(account_id, id_or_name);
  if (entry == nullptr) return NoSuchSecret(id_or_name);
  return ReadSecretRecord(*entry);
}

std::vector<AccountSecret> AccountSecrets::List(std::string_view account_id) const {
  std::vector<AccountSecret> list;
  for (const DocumentTable::EntryPtr& entry : table_.List(account_id))
    list.push_back(ReadSecretRecord(*entry));
  std::sort(list.begin(), list.end(), [](const AccountSecret& a, const AccountSecret& b) {
    return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
  });
  return list;
}

Task<Status> AccountSecrets::Remove(std::string account_id, std::string id_or_name) {
  AsyncMutex::Lock account_lock = co_await MutexOf(account_id).Acquire();
  ASSIGN_OR_CO_RETURN(AccountSecret secret, Get(account_id, id_or_name));
  CO_RETURN_IF_ERROR(co_await table_.Remove(secret.id), "remove secret " + secret.name);
  std::unique_lock lock(mutex_);
  if (auto names = names_.find(account_id); names != names_.end()) {
    names->second.erase(secret.name);
    if (names->second.empty()) names_.erase(names);
  }
  co_return Status();
}

Result<std::string> AccountSecrets::Value(std::string_view account_id,
                                          std::string_view id_or_name) const {
  DocumentTable::EntryPtr entry = FindEntry(account_id, id_or_name);
  if (entry == nullptr) return NoSuchSecret(id_or_name);
  return sealer_.Open(SealPurpose(account_id, entry->id), FindString(entry->body, "sealed"));
}

Result<std::string> AccountSecrets::Reveal(const std::string& account_id,
                                           const gateway::SecretText& text) {
  using Kind = gateway::SecretText::Kind;
  if (text.kind == Kind::kPlain) return text.text;
  if (text.kind == Kind::kSealed) return sealer_.Open(text.purpose, text.text);
  ASSIGN_OR_RETURN(std::vector<SecretPiece> pieces, ReadSecretReferences(text.text, text.kind));
  std::string revealed;
  for (const SecretPiece& piece : pieces) {
    if (!piece.is_name) {
      revealed += piece.text;
      continue;
    }
    auto value = Value(account_id, piece.text);
    if (!value) {
      Wipe(revealed);
      return PassUp(std::move(value).error());
    }
    revealed += *value;  // as it is: what it contains is not read for references again
    Wipe(*value);
    if (revealed.size() <= kRevealedBytesMax) continue;
    Wipe(revealed);
    return Fail(ErrorCode::kLimitExceeded, "with its secrets put in, a text is too long to send");
  }
  return revealed;
}

}  // namespace viv::accounts
