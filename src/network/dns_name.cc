#include "network/dns_name.h"

#include <algorithm>

#include "base/text.h"

namespace viv::network {
namespace {

constexpr std::size_t kDnsNameMax = 255;
constexpr std::size_t kDnsLabelMax = 63;
constexpr std::uint8_t kPointer = 0xc0;
constexpr std::size_t kPointerReach = 0x3fff;

bool IsPlainLabelCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

std::uint8_t DnsReader::Byte() {
  std::string_view bytes = Bytes(1);
  return bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes[0]);
}

std::uint16_t DnsReader::Short() {
  std::uint16_t high = Byte();
  return static_cast<std::uint16_t>(high << 8 | Byte());
}

std::uint32_t DnsReader::Long() {
  std::uint32_t high = Short();
  return high << 16 | Short();
}

std::string_view DnsReader::Bytes(std::size_t count) {
  if (!ok_ || count > end_ - at_) {
    ok_ = false;
    return {};
  }
  std::string_view bytes = message_.substr(at_, count);
  at_ += count;
  return bytes;
}

DnsReader DnsReader::Within(std::size_t size) const {
  DnsReader inner = *this;
  if (size > end_ - at_) inner.ok_ = false;
  inner.end_ = std::min(end_, at_ + std::min(size, end_ - at_));
  return inner;
}

DnsName DnsReader::Name() {
  DnsName name;
  // A pointer must point before everything read so far, so the loop ends.
  std::size_t lowest = at_;
  DnsReader cursor = *this;
  bool jumped = false;
  while (cursor.ok_) {
    std::uint8_t length = cursor.Byte();
    if ((length & kPointer) == kPointer) {
      std::size_t target = (static_cast<std::size_t>(length & ~kPointer) << 8) | cursor.Byte();
      if (!jumped) at_ = cursor.at_;
      jumped = true;
      if (!cursor.ok_ || target >= lowest) break;
      lowest = cursor.at_ = target;
      cursor.end_ = message_.size();
      continue;
    }
    if (length > kDnsLabelMax) break;
    std::string_view label = cursor.Bytes(length);
    name.push_back(static_cast<char>(length));
    name.append(label);
    if (!cursor.ok_ || name.size() > kDnsNameMax) break;
    if (length == 0) {
      if (!jumped) at_ = cursor.at_;
      return name;
    }
  }
  ok_ = false;
  return {};
}

bool SameDnsName(const DnsName& a, const DnsName& b) {
  return EqualsIgnoreCase(a, b);
}

std::optional<std::string> PlainDnsText(const DnsName& name) {
  std::string text;
  for (std::size_t at = 0; at < name.size() && name[at] != 0;) {
    auto length = static_cast<std::size_t>(static_cast<std::uint8_t>(name[at]));
    std::string_view label = std::string_view(name).substr(at + 1, length);
    if (!std::all_of(label.begin(), label.end(), IsPlainLabelCharacter)) return std::nullopt;
    if (!text.empty()) text.push_back('.');
    text.append(label);
    at += 1 + length;
  }
  if (text.empty()) return std::nullopt;
  return ToLower(text);
}

std::optional<DnsName> DnsNameFromText(std::string_view text) {
  DnsName name;
  for (std::string_view label : Split(text, '.')) {
    if (label.empty() || label.size() > kDnsLabelMax) return std::nullopt;
    name.push_back(static_cast<char>(label.size()));
    name.append(label);
  }
  name.push_back('\0');
  if (name.size() > kDnsNameMax) return std::nullopt;
  return name;
}

void DnsWriter::Short(std::uint16_t value) {
  Byte(static_cast<std::uint8_t>(value >> 8));
  Byte(static_cast<std::uint8_t>(value));
}

void DnsWriter::Long(std::uint32_t value) {
  Short(static_cast<std::uint16_t>(value >> 16));
  Short(static_cast<std::uint16_t>(value));
}

void DnsWriter::SetShort(std::size_t at, std::uint16_t value) {
  bytes_[at] = static_cast<char>(value >> 8);
  bytes_[at + 1] = static_cast<char>(value);
}

void DnsWriter::Truncate(std::size_t size) {
  bytes_.resize(size);
  std::erase_if(seen_, [&](const auto& entry) { return entry.second >= size; });
}

void DnsWriter::Name(const DnsName& name) {
  std::string lower = ToLower(name);
  for (std::size_t at = 0; at < name.size() && name[at] != 0;) {
    std::string_view rest = std::string_view(lower).substr(at);
    if (auto found = seen_.find(rest); found != seen_.end()) {
      Short(static_cast<std::uint16_t>(kPointer << 8 | found->second));
      return;
    }
    if (size() <= kPointerReach)
      seen_.emplace(std::string(rest), static_cast<std::uint16_t>(size()));
    std::size_t label = 1 + static_cast<std::uint8_t>(name[at]);
    Bytes(std::string_view(name).substr(at, label));
    at += label;
  }
  Byte(0);
}

}  // namespace viv::network
