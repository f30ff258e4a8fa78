#include "network/first_bytes_tls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "network/policy_entry.h"

namespace viv::network {
namespace {

constexpr std::size_t kTlsRecordHead = 5;
constexpr std::size_t kTlsRecordBytesMax = 1 << 14;
constexpr std::size_t kTlsMessageHead = 4;
constexpr std::size_t kTlsExtensionsMax = 256;
constexpr std::size_t kTlsRandomBytes = 32;
constexpr std::size_t kTlsSessionBytesMax = 32;
constexpr std::uint8_t kTlsHandshake = 22;
constexpr std::uint8_t kTlsClientHello = 1;
constexpr std::uint8_t kTlsMinorVersionMax = 4;

constexpr std::uint16_t kTlsServerName = 0;
constexpr std::uint16_t kTlsAlpn = 16;
constexpr std::uint16_t kTlsEncryptedHelloFirst = 0xfe08;  // the drafts of ECH
constexpr std::uint16_t kTlsEncryptedHello = 0xfe0d;
constexpr std::uint16_t kTlsEncryptedServerName = 0xffce;

// Reads fields from front to back. After one did not fit, all later ones are empty.
class TlsReader {
 public:
  explicit TlsReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && bytes_.empty(); }
  std::size_t Number(std::size_t width) {
    std::size_t value = 0;
    for (char c : Bytes(width)) value = value << 8 | static_cast<std::uint8_t>(c);
    return value;
  }
  std::string_view Bytes(std::size_t count) {
    ok_ = ok_ && count <= bytes_.size();
    if (!ok_) return {};
    std::string_view field = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return field;
  }
  // A field that follows its length of `width` bytes.
  std::string_view Field(std::size_t width) { return Bytes(Number(width)); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

struct TlsMessage {
  FirstBytes::Kind state = FirstBytes::Kind::kNeedsMore;  // kTls when it is complete
  std::string body;
};

// Joins the records of the first handshake message. The message must end at the end of a record:
// nothing may follow a ClientHello before the server answers it.
TlsMessage ReadTlsMessage(std::string_view bytes) {
  TlsMessage message;
  std::string all;
  while (message.state == FirstBytes::Kind::kNeedsMore && !bytes.empty()) {
    bool first = all.empty();
    auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
    FirstBytes::Kind wrong = FirstBytes::Kind::kMalformed;
    if (at(0) != kTlsHandshake) return {wrong, ""};
    // Bytes with the type of a handshake record but no TLS version are another protocol.
    if (bytes.size() > 1 && at(1) != 3) return {first ? FirstBytes::Kind::kOther : wrong, ""};
    if (bytes.size() > 2 && at(2) > kTlsMinorVersionMax) return {wrong, ""};
    if (bytes.size() < kTlsRecordHead) return message;
    std::size_t size = static_cast<std::size_t>(at(3)) << 8 | at(4);
    if (size == 0 || size > kTlsRecordBytesMax) return {wrong, ""};
    std::string_view part = bytes.substr(kTlsRecordHead, size);
    if (first && !part.empty() && static_cast<std::uint8_t>(part[0]) != kTlsClientHello)
      return {wrong, ""};
    if (part.size() < size) return message;
    all += part;
    bytes.remove_prefix(kTlsRecordHead + size);
    if (all.size() < kTlsMessageHead) continue;
    std::size_t length = TlsReader(std::string_view(all).substr(1)).Number(3);
    if (length + kTlsMessageHead > kFirstBytesMax) return {wrong, ""};
    if (all.size() > length + kTlsMessageHead) return {wrong, ""};
    if (all.size() < length + kTlsMessageHead) continue;
    message.state = FirstBytes::Kind::kTls;
    message.body = all.substr(kTlsMessageHead);
  }
  return message;
}

// The only name in the extension.
std::optional<std::string> ReadServerName(std::string_view data) {
  TlsReader extension(data);
  TlsReader list(extension.Field(2));
  if (!extension.AtEnd() || list.Number(1) != 0) return std::nullopt;
  std::string_view name = list.Field(2);
  if (!list.AtEnd() || !IsHostName(name)) return std::nullopt;
  return ToLower(WithoutTrailingDot(name));
}

// Whether "h2" is in the list; nothing if the list is malformed.
std::optional<bool> ReadAlpn(std::string_view data) {
  TlsReader extension(data);
  TlsReader list(extension.Field(2));
  if (!extension.AtEnd() || list.AtEnd()) return std::nullopt;
  bool http2 = false;
  while (!list.AtEnd()) {
    std::string_view protocol = list.Field(1);
    if (!list.ok() || protocol.empty()) return std::nullopt;
    http2 = http2 || protocol == "h2";
  }
  return http2;
}

bool ReadExtension(std::size_t type, std::string_view data, FirstBytes& first_bytes) {
  if (type == kTlsServerName) {
    auto name = ReadServerName(data);
    if (name) first_bytes.host = *std::move(name);
    return !first_bytes.host.empty();
  }
  if (type == kTlsAlpn) {
    auto http2 = ReadAlpn(data);
    first_bytes.offers_http2 = http2.value_or(false);
    return http2.has_value();
  }
  if ((type >= kTlsEncryptedHelloFirst && type <= kTlsEncryptedHello) ||
      type == kTlsEncryptedServerName)
    first_bytes.has_encrypted_name = true;
  return true;
}

bool ReadExtensions(std::string_view bytes, FirstBytes& first_bytes) {
  TlsReader extensions(bytes);
  std::vector<std::size_t> seen;
  while (!extensions.AtEnd()) {
    std::size_t type = extensions.Number(2);
    std::string_view data = extensions.Field(2);
    if (!extensions.ok() || seen.size() >= kTlsExtensionsMax) return false;
    if (std::find(seen.begin(), seen.end(), type) != seen.end()) return false;
    seen.push_back(type);
    if (!ReadExtension(type, data, first_bytes)) return false;
  }
  return true;
}

bool ReadClientHello(std::string_view body, FirstBytes& first_bytes) {
  TlsReader hello(body);
  if (hello.Number(2) >> 8 != 3) return false;
  hello.Bytes(kTlsRandomBytes);
  std::string_view session = hello.Field(1);
  std::string_view ciphers = hello.Field(2);
  std::string_view compressions = hello.Field(1);
  if (!hello.ok() || session.size() > kTlsSessionBytesMax || compressions.empty() ||
      ciphers.empty() || ciphers.size() % 2 != 0)
    return false;
  if (hello.AtEnd()) return true;  // an old client without extensions
  std::string_view extensions = hello.Field(2);
  return hello.AtEnd() && ReadExtensions(extensions, first_bytes);
}

}  // namespace

FirstBytes ParseTlsFirstBytes(std::string_view bytes) {
  FirstBytes first_bytes;
  TlsMessage message = ReadTlsMessage(bytes);
  first_bytes.kind = message.state;
  if (message.state != FirstBytes::Kind::kTls || ReadClientHello(message.body, first_bytes))
    return first_bytes;
  FirstBytes malformed;
  malformed.kind = FirstBytes::Kind::kMalformed;
  return malformed;
}

}  // namespace viv::network
