#include "agent/dataplane/yamux.h"

#include <algorithm>

namespace viv::agent {
namespace {

constexpr std::uint8_t kYamuxVersion = 0;

void AppendBigEndian(std::string& out, std::uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift & 0xFF);
  }
}

std::uint32_t ReadBigEndian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

std::string EncodeYamux(const YamuxHeader& header) {
  std::string bytes;
  bytes.reserve(kYamuxHeaderBytes);
  bytes += static_cast<char>(kYamuxVersion);
  bytes += static_cast<char>(header.type);
  AppendBigEndian(bytes, header.flags, 2);
  AppendBigEndian(bytes, header.stream, 4);
  AppendBigEndian(bytes, header.length, 4);
  return bytes;
}

void YamuxParser::Feed(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

YamuxParser::Step YamuxParser::Next() {
  if (!error_.empty()) return Step::kBroken;
  std::string_view rest = std::string_view(buffer_).substr(at_);
  if (data_left_ > 0) {
    if (rest.empty()) return Step::kMore;
    data_ = rest.substr(0, data_left_);
    at_ += data_.size();
    data_left_ -= static_cast<std::uint32_t>(data_.size());
    return Step::kData;
  }
  if (rest.size() < kYamuxHeaderBytes) return Step::kMore;
  auto version = static_cast<std::uint8_t>(rest[0]);
  auto type = static_cast<std::uint8_t>(rest[1]);
  if (version != kYamuxVersion) error_ = "yamux version " + std::to_string(version);
  if (type > static_cast<std::uint8_t>(YamuxType::kGoAway)) {
    error_ = "yamux frame of type " + std::to_string(type);
  }
  if (!error_.empty()) return Step::kBroken;
  header_.type = static_cast<YamuxType>(type);
  header_.flags = static_cast<std::uint16_t>(ReadBigEndian(rest.substr(2, 2)));
  header_.stream = ReadBigEndian(rest.substr(4, 4));
  header_.length = ReadBigEndian(rest.substr(8, 4));
  at_ += kYamuxHeaderBytes;
  if (header_.type == YamuxType::kData) data_left_ = header_.length;
  return Step::kFrame;
}

}  // namespace viv::agent
