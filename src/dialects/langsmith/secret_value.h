#pragma once
// A value that may be a secret: {"type": "plaintext" | "opaque" | "workspace_secret", "value"}. An
// opaque one is sealed before it is stored ({"type": "opaque", "sealed": "..."}), and answers only
// say that it is there ({"type": "opaque", "is_set": true}).

#include <string>
#include <string_view>

#include "accounts/sealer.h"
#include "base/json.h"
#include "base/result.h"
#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

inline constexpr std::size_t kSecretBytesMax = 64 << 10;  // a service account's key has some 2 KiB

// Seals values for one account: no other account can open them.
struct AccountSealer {
  const accounts::Sealer& sealer;
  std::string purpose;

  std::string Seal(std::string_view plain) const { return sealer.Seal(purpose, plain); }
};
AccountSealer AccountSealerOf(const accounts::Sealer& sealer, std::string_view account_id);

// A workspace_secret's text with { NAME } written {NAME}, which is the same to the vendor's users.
std::string WithPlainReferences(std::string_view text);

enum class Plaintext { kAllowed, kRefused };
enum class WorkspaceSecrets { kAllowed, kRefused };

// What is stored of the value that `members` are. `kept` is the stored form it replaces, null when
// there is none: an opaque value that is sent without text keeps it.
json::object StoreSecret(Members& members,
                         const json::value& kept,
                         const AccountSealer& sealer,
                         Plaintext plaintext,
                         WorkspaceSecrets workspace_secrets);

// Every stored secret within `stored`, however deep, as answers show it.
json::value WithoutSecrets(const json::value& stored);

// The plain text of a stored value, for applying a rule. kInvalidArgument when it was changed or
// was sealed for another account.
Result<std::string> OpenSecret(const json::value& stored, const AccountSealer& sealer);

}  // namespace viv::langsmith
