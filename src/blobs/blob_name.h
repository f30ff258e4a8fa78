#pragma once
// The name of a blob. A blob belongs to an owner (a box) and has one purpose; the name consists of
// the owner and a digest of the purpose, so that no text of a client is ever part of a path.

#include <optional>
#include <string>
#include <string_view>

namespace viv::blobs {

struct BlobName {
  enum class Kind { kUpload, kDownload };

  std::string owner;  // letters and digits
  std::string leaf;   // 'u' or 'd' and 31 hexadecimal digits

  // "OWNER-LEAF", one segment of a URL.
  std::string Text() const { return owner + '-' + leaf; }
  bool operator==(const BlobName&) const = default;
};

BlobName NameOf(std::string_view owner, BlobName::Kind kind, std::string_view purpose);
std::optional<BlobName> ParseBlobName(std::string_view text);  // nothing when it is none
bool IsBlobOwner(std::string_view text);                       // up to 64 of [a-z0-9]

}  // namespace viv::blobs
