#include "accounts/secret_references.h"

#include <algorithm>

#include "base/check.h"

namespace viv::accounts {
namespace {

bool IsSecretNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

void AddText(std::vector<SecretPiece>& pieces, std::string_view text) {
  if (!text.empty()) pieces.push_back({false, text});
}

}  // namespace

bool IsSecretName(std::string_view name) {
  return !name.empty() && name.size() <= kSecretNameBytesMax &&
         std::all_of(name.begin(), name.end(), IsSecretNameChar);
}

Result<std::vector<SecretPiece>> ReadSecretReferences(std::string_view text,
                                                      gateway::SecretText::Kind kind) {
  const bool is_marked = kind == gateway::SecretText::Kind::kDollarReferences;
  CHECK(is_marked || kind == gateway::SecretText::Kind::kBraceReferences);
  const std::string_view mark = is_marked ? kSecretMark : "{";
  std::vector<SecretPiece> pieces;
  std::size_t names = 0;
  std::size_t plain = 0;  // where the text before the next name began
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    const std::size_t begin = at + mark.size();
    // Looking no further than a name can reach keeps many open braces from costing their square.
    const std::size_t length = text.substr(begin, kSecretNameBytesMax + 1).find('}');
    const bool is_name =
        length != std::string_view::npos && IsSecretName(text.substr(begin, length));
    if (!is_name && is_marked)
      return Fail(ErrorCode::kInvalidArgument,
                  "a placeholder is written ${e2b.secrets.NAME}, with a name of 1 to 128 letters, "
                  "digits, '-' and '_'");
    if (!is_name) {
      at = begin;
      continue;
    }
    if (++names > kSecretReferencesMax)
      return Fail(ErrorCode::kInvalidArgument, "at most " + std::to_string(kSecretReferencesMax) +
                                                   " secrets are referred to in one text");
    AddText(pieces, text.substr(plain, at - plain));
    pieces.push_back({true, text.substr(begin, length)});
    at = plain = begin + length + 1;
  }
  AddText(pieces, text.substr(plain));
  return pieces;
}

}  // namespace viv::accounts
