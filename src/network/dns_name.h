#pragma once
// Names inside DNS messages: read with compression undone, written with it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "network/dns_message.h"

namespace viv::network {

// Reads a message from front to back; every read may fail, and then all later ones do.
class DnsReader {
 public:
  explicit DnsReader(std::string_view message) : message_(message), end_(message.size()) {}

  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }
  std::uint8_t Byte();
  std::uint16_t Short();
  std::uint32_t Long();
  std::string_view Bytes(std::size_t count);
  DnsName Name();  // follows pointers, which only ever lead backwards

  // Ends reading at `size` bytes from here, so that a record's data cannot run over its length;
  // names may still point before it.
  DnsReader Within(std::size_t size) const;
  bool AtEnd() const { return ok_ && at_ == end_; }

 private:
  std::string_view message_;
  std::size_t at_ = 0, end_;
  bool ok_ = true;
};

// "a.b.c" of a name whose labels are plain host labels; nothing for any other.
std::optional<std::string> PlainDnsText(const DnsName& name);
std::optional<DnsName> DnsNameFromText(std::string_view text);

class DnsWriter {
 public:
  void Byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void Short(std::uint16_t value);
  void Long(std::uint32_t value);
  void Bytes(std::string_view bytes) { bytes_.append(bytes); }
  void Name(const DnsName& name);  // with pointers to names written before
  void SetShort(std::size_t at, std::uint16_t value);
  void Truncate(std::size_t size);
  std::size_t size() const { return bytes_.size(); }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
  std::map<std::string, std::uint16_t, std::less<>> seen_;  // name in lower case: where it stands
};

}  // namespace viv::network
