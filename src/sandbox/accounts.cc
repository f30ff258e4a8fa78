#include "sandbox/accounts.h"

#include "base/ids.h"

namespace viv::sandbox {
namespace {

constexpr std::size_t kShownPrefix = 8;
constexpr std::size_t kKeyBytesMin = 8;  // a key that an operator sets
constexpr std::size_t kNameBytesMax = 100;

bool IsConflict(const Status& status) {
  return !status && status.error().code == ErrorCode::kConflict;
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
  return store_.RevokeKey(account_id, key_id, NowMicros());
}

}  // namespace viv::sandbox
