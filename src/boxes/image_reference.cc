#include "boxes/image_reference.h"

#include <algorithm>

#include "base/text.h"

namespace viv::boxes {
namespace {

constexpr std::size_t kReferenceBytesMax = 512;
constexpr std::size_t kRegistryBytesMax = 255;
constexpr std::size_t kTagBytesMax = 128;
constexpr std::string_view kDockerHub = "docker.io";

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool IsAsciiWord(char c) {
  return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
}

tl::unexpected<Error> NoImage(std::string_view text, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, "'" + Printable(text) +
                                               "' names no image: " + std::string(why) +
                                               "; registry.example.com/team/image:tag would do");
}

// One part of a path: it begins and ends with a letter or digit, and so do its pieces.
bool IsImageComponent(std::string_view part) {
  if (part.empty() || !IsLowerOrDigit(part.front()) || !IsLowerOrDigit(part.back())) return false;
  return std::all_of(part.begin(), part.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsImageTag(std::string_view tag) {
  if (tag.empty() || tag.size() > kTagBytesMax) return false;
  if (!IsAsciiWord(tag.front()) && tag.front() != '_') return false;
  return std::all_of(tag.begin(), tag.end(),
                     [](char c) { return IsAsciiWord(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsImageDigest(std::string_view digest) {
  constexpr std::string_view kSha256 = "sha256:";
  if (!digest.starts_with(kSha256) || digest.size() != kSha256.size() + 64) return false;
  digest.remove_prefix(kSha256.size());
  return std::all_of(digest.begin(), digest.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsPortNumber(std::string_view port) {
  if (port.empty() || port.size() > 5) return false;
  int number = 0;
  for (char c : port) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  return number >= 1 && number <= 65535;
}

}  // namespace

bool IsRegistryHost(std::string_view text) {
  if (text.size() > kRegistryBytesMax) return false;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && !IsPortNumber(text.substr(colon + 1))) return false;
  for (std::string_view label : Split(text.substr(0, colon), '.')) {
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return IsAsciiWord(c) || c == '-'; }))
      return false;
  }
  return true;
}

std::string ImageReference::Text() const {
  std::string text = registry + "/" + repository;
  return digest.empty() ? text + ":" + tag : text + "@" + digest;
}

Result<ImageReference> ParseImageReference(std::string_view text) {
  const std::string_view whole = text;
  if (text.empty() || text.size() > kReferenceBytesMax)
    return NoImage(whole, "1 to 512 characters are expected");
  ImageReference reference;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    reference.digest = text.substr(at + 1);
    if (!IsImageDigest(reference.digest))
      return NoImage(whole, "a digest is 'sha256:' and 64 hexadecimal digits");
    text = text.substr(0, at);
  }
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    reference.tag = text.substr(colon + 1);
    if (!IsImageTag(reference.tag)) return NoImage(whole, "the tag is not one");
    text = text.substr(0, colon);
  }
  // The first part is a registry when it could not be a part of a path on Docker's own.
  const std::size_t first = text.find('/');
  const std::string_view head = text.substr(0, first);
  const bool has_registry =
      first != std::string_view::npos &&
      (head.find_first_of(".:") != std::string_view::npos || head == "localhost");
  if (has_registry) {
    if (!IsRegistryHost(head)) return NoImage(whole, "its registry is no host");
    reference.registry = head;
    text = text.substr(first + 1);
  } else {
    reference.registry = kDockerHub;
  }
  for (std::string_view part : Split(text, '/'))
    if (!IsImageComponent(part)) return NoImage(whole, "its path may hold a-z, 0-9, '.', '_', '-'");
  reference.repository = text;
  if (!has_registry && first == std::string_view::npos)
    reference.repository = "library/" + reference.repository;
  if (!reference.digest.empty()) {
    reference.tag.clear();
  } else if (reference.tag.empty()) {
    reference.tag = "latest";
  }
  return reference;
}

}  // namespace viv::boxes
