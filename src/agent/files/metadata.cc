#include "agent/files/metadata.h"

#include <sys/xattr.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::string_view kMetadataHeader = "x-metadata-";
constexpr std::string_view kMetadataAttribute = "user.e2b.";
constexpr std::size_t kMetadataKeyBytesMax = 246;  // an attribute's name has at most 255
constexpr std::size_t kMetadataBytesMax = 4096;
constexpr std::size_t kAttributeListBytesMax = 64 * 1024;  // the kernel's limit
constexpr std::size_t kMetadataReadBytesMax = 64 * 1024;   // of all values that we tell of

bool IsPrintableAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

FileResult<void> CheckMetadata(const Metadata& metadata) {
  std::size_t total = 0;
  for (const auto& [key, value] : metadata) {
    if (key.size() > kMetadataKeyBytesMax) {
      return FailFileWith(EINVAL, "invalid metadata: a key is longer than 246 bytes");
    }
    if (!IsPrintableAscii(key)) {
      return FailFileWith(EINVAL, "invalid metadata: a key is not printable ASCII");
    }
    if (!IsPrintableAscii(value)) {
      return FailFileWith(EINVAL,
                          "invalid metadata: the value of '" + key + "' is not printable ASCII");
    }
    total += kMetadataAttribute.size() + key.size() + value.size();
  }
  if (total > kMetadataBytesMax) {
    return FailFileWith(EINVAL, "invalid metadata: it is larger than 4096 bytes");
  }
  return {};
}

// The attributes of ours among a list that the kernel wrote.
std::vector<std::string> MetadataAttributes(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    std::string_view name = list.substr(0, list.find('\0'));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    if (name.starts_with(kMetadataAttribute)) names.emplace_back(name);
  }
  return names;
}

std::string AttributeName(const std::string& key) {
  return std::string(kMetadataAttribute) + key;
}

}  // namespace

FileResult<Metadata> MetadataOfHeaders(const http::Headers& headers) {
  Metadata metadata;
  for (const auto& [name, value] : headers) {
    std::string lower = ToLower(name);
    if (!lower.starts_with(kMetadataHeader) || lower.size() == kMetadataHeader.size()) continue;
    metadata.emplace(lower.substr(kMetadataHeader.size()), value);
  }
  if (FileResult<void> checked = CheckMetadata(metadata); !checked) {
    return tl::unexpected<FileError>(checked.error());
  }
  return metadata;
}

ErrnoOr<void> ReplaceMetadata(int file, const Metadata& metadata) {
  std::vector<char> list(kAttributeListBytesMax);
  ssize_t length = ::flistxattr(file, list.data(), list.size());
  if (length < 0 && (errno == ENOTSUP || errno == E2BIG)) return {};
  if (length < 0) return FailWithErrno();
  for (const std::string& name : MetadataAttributes({list.data(), std::size_t(length)})) {
    bool stays = metadata.count(name.substr(kMetadataAttribute.size())) != 0;
    if (!stays && ::fremovexattr(file, name.c_str()) != 0 && errno != ENODATA)
      return FailWithErrno();
  }
  for (const auto& [key, value] : metadata) {
    if (::fsetxattr(file, AttributeName(key).c_str(), value.data(), value.size(), 0) == 0) continue;
    if (errno == ENOTSUP) return {};
    return FailWithErrno();
  }
  return {};
}

Metadata ReadMetadata(const std::string& path) {
  Metadata metadata;
  // Most files have none, and asking for the length alone is cheap.
  ssize_t length = ::listxattr(path.c_str(), nullptr, 0);
  if (length <= 0) return metadata;
  std::vector<char> list(std::min<std::size_t>(length + 1024, kAttributeListBytesMax));
  length = ::listxattr(path.c_str(), list.data(), list.size());
  if (length <= 0) return metadata;
  std::size_t total = 0;
  for (const std::string& name : MetadataAttributes({list.data(), std::size_t(length)})) {
    std::string value(kMetadataReadBytesMax, '\0');
    ssize_t got = ::getxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (got < 0) continue;
    value.resize(got);
    total += name.size() + value.size();
    if (total > kMetadataReadBytesMax) break;
    metadata.emplace(name.substr(kMetadataAttribute.size()), std::move(value));
  }
  return metadata;
}

}  // namespace viv::agent
