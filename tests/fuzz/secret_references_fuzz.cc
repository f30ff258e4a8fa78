// Whatever a header's value says, its pieces are the text again, no byte of a name is anything but
// a name, and the marks that cannot be read are refused.

#include <cstddef>
#include <cstdint>
#include <string>

#include "accounts/secret_references.h"
#include "base/check.h"
#include "fuzz_target.h"

namespace {

using Kind = viv::gateway::SecretText::Kind;

void CheckPieces(std::string_view text, Kind kind) {
  auto pieces = viv::accounts::ReadSecretReferences(text, kind);
  if (!pieces) return;
  std::string again;
  std::size_t names = 0;
  for (const viv::accounts::SecretPiece& piece : *pieces) {
    CHECK(!piece.text.empty());
    if (!piece.is_name) {
      again += piece.text;
      // What is sent as it stands has no mark left in it.
      if (kind == Kind::kDollarReferences)
        CHECK(piece.text.find(viv::accounts::kSecretMark) == std::string_view::npos);
      continue;
    }
    CHECK(viv::accounts::IsSecretName(piece.text));
    ++names;
    again.append(kind == Kind::kDollarReferences ? viv::accounts::kSecretMark : "{");
    again.append(piece.text).append("}");
  }
  CHECK(names <= viv::accounts::kSecretReferencesMax);
  CHECK(again == text);
}

}  // namespace

FUZZ_TARGET(secret_references)(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckPieces(text, Kind::kDollarReferences);
  CheckPieces(text, Kind::kBraceReferences);
  return 0;
}
