#pragma once
// Builds ClientHellos for tests field by field, so that any field can be wrong.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace viv::network {

inline std::string BigEndian(std::size_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// `bytes` preceded by their length of `width` bytes.
inline std::string LengthPrefixed(std::string_view bytes, int width) {
  return BigEndian(bytes.size(), width) + std::string(bytes);
}

inline std::string Extension(std::size_t type, std::string_view data) {
  return BigEndian(type, 2) + LengthPrefixed(data, 2);
}

inline std::string ServerNameExtension(std::string_view name) {
  return Extension(0, LengthPrefixed(std::string(1, '\0') + LengthPrefixed(name, 2), 2));
}

inline std::string EncryptedClientHelloExtension() {
  return Extension(0xfe0d, std::string(64, 'e'));
}

// The body of a ClientHello with these extensions.
inline std::string ClientHelloBody(std::string_view extensions) {
  return BigEndian(0x0303, 2) + std::string(32, 'r') + LengthPrefixed("session", 1) +
         LengthPrefixed(std::string("\x13\x01\x13\x02", 4), 2) +
         LengthPrefixed(std::string(1, '\0'), 1) + LengthPrefixed(extensions, 2);
}

inline std::string ClientHelloMessage(std::string_view body) {
  return "\x01" + LengthPrefixed(body, 3);
}

// Splits the message into records of at most that size.
inline std::string InTlsRecords(std::string_view message, std::size_t record_bytes_max = 16'384) {
  std::string bytes;
  while (!message.empty()) {
    std::string_view part = message.substr(0, std::min(record_bytes_max, message.size()));
    message.remove_prefix(part.size());
    bytes += "\x16\x03\x01" + LengthPrefixed(part, 2);
  }
  return bytes;
}

inline std::string ClientHelloWith(std::string_view extensions) {
  return InTlsRecords(ClientHelloMessage(ClientHelloBody(extensions)));
}

inline std::string ClientHelloFor(std::string_view name) {
  return ClientHelloWith(ServerNameExtension(name));
}

}  // namespace viv::network
