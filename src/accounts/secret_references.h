#pragma once
// Texts that name secrets of an account instead of containing them: "Bearer {NAME}", or
// "Bearer ${e2b.secrets.NAME}". A name is of letters, digits, '-' and '_'; case does not matter.

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/rules/plan.h"

namespace viv::accounts {

inline constexpr std::string_view kSecretMark = "${e2b.secrets.";  // NAME and '}' follow
inline constexpr std::size_t kSecretNameBytesMax = 128;
inline constexpr std::size_t kSecretReferencesMax = 64;  // in one text

bool IsSecretName(std::string_view name);  // or an id

struct SecretPiece {
  bool is_name = false;   // of a secret, whose value stands in its place
  std::string_view text;  // of the text that was read

  bool operator==(const SecretPiece&) const = default;
};

// `kind` is kBraceReferences or kDollarReferences. The braces of the first kind are text where no
// name stands between them, as in JSON. The second kind's mark has no other meaning, so what it
// begins must be whole: kInvalidArgument, without a word of the text.
Result<std::vector<SecretPiece>> ReadSecretReferences(std::string_view text,
                                                      gateway::SecretText::Kind kind);

}  // namespace viv::accounts
