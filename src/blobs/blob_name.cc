#include "blobs/blob_name.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace viv::blobs {
namespace {

constexpr std::size_t kOwnerMax = 64;
constexpr std::size_t kLeafDigits = 31;

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool IsBlobOwner(std::string_view text) {
  return !text.empty() && text.size() <= kOwnerMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLower(c) || IsDigit(c); });
}

BlobName NameOf(std::string_view owner, BlobName::Kind kind, std::string_view purpose) {
  CHECK(IsBlobOwner(owner));
  const char letter = kind == BlobName::Kind::kUpload ? 'u' : 'd';
  return {std::string(owner), letter + Sha256Hex(purpose).substr(0, kLeafDigits)};
}

std::optional<BlobName> ParseBlobName(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || !IsBlobOwner(text.substr(0, dash))) return std::nullopt;
  const std::string_view leaf = text.substr(dash + 1);
  if (leaf.size() != kLeafDigits + 1 || (leaf[0] != 'u' && leaf[0] != 'd')) return std::nullopt;
  const bool hex = std::all_of(leaf.begin() + 1, leaf.end(),
                               [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
  if (!hex) return std::nullopt;
  return BlobName{std::string(text.substr(0, dash)), std::string(leaf)};
}

}  // namespace viv::blobs
