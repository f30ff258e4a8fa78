#pragma once
// Names in DNS messages: decompressed when they are read, compressed when they are written.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "network/dns_message.h"

namespace viv::network {

// Reads a message from front to back. After one read has failed, all later ones fail.
class DnsReader {
 public:
  explicit DnsReader(std::string_view message) : message_(message), end_(message.size()) {}

  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }
  std::uint8_t Byte();
  std::uint16_t Short();
  std::uint32_t Long();
  std::string_view Bytes(std::size_t count);
  DnsName Name();  // follows pointers, which must point backwards

  // A reader that ends `size` bytes from here, so that a record's data cannot exceed its length.
  // Names may still point to bytes before it.
  DnsReader Within(std::size_t size) const;
  bool AtEnd() const { return ok_ && at_ == end_; }

 private:
  std::string_view message_;
  std::size_t at_ = 0, end_;
  bool ok_ = true;
};

// The name as "a.b.c" if its labels are plain host labels; nothing otherwise.
std::optional<std::string> PlainDnsText(const DnsName& name);
std::optional<DnsName> DnsNameFromText(std::string_view text);

class DnsWriter {
 public:
  void Byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void Short(std::uint16_t value);
  void Long(std::uint32_t value);
  void Bytes(std::string_view bytes) { bytes_.append(bytes); }
  void Name(const DnsName& name);  // uses pointers to names written before
  void SetShort(std::size_t at, std::uint16_t value);
  void Truncate(std::size_t size);
  std::size_t size() const { return bytes_.size(); }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  // The offset of each name, in lower case.
  std::map<std::string, std::uint16_t, std::less<>> seen_;
};

}  // namespace viv::network
