#include "rpc/connect/envelope.h"

namespace viv::connect {
namespace {

constexpr std::size_t kEnvelopeHeadBytes = 5;

std::uint32_t EnvelopeLength(std::string_view head) {
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < kEnvelopeHeadBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(head[i]);
  }
  return length;
}

}  // namespace

std::string WrapEnvelope(std::uint8_t flags, std::string_view message) {
  std::string bytes;
  bytes.reserve(kEnvelopeHeadBytes + message.size());
  bytes += static_cast<char>(flags);
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(message.size() >> shift & 0xff);
  }
  bytes += message;
  return bytes;
}

RpcResult<std::optional<Envelope>> EnvelopeSplitter::Next() {
  std::string_view rest = std::string_view(buffer_).substr(position_);
  if (rest.size() < kEnvelopeHeadBytes) return std::nullopt;
  auto flags = static_cast<std::uint8_t>(rest[0]);
  if ((flags & kFlagCompressed) != 0) {
    return FailRpc(Code::kUnimplemented, "compressed messages are not supported; send identity");
  }
  if ((flags & ~kFlagEndStream) != 0) {
    return FailRpc(Code::kInvalidArgument, "an envelope has unknown flags");
  }
  std::size_t length = EnvelopeLength(rest);
  if (length > kMessageBytesMax) {
    return FailRpc(Code::kResourceExhausted, "a message of " + std::to_string(length) +
                                                 " bytes is above the limit of " +
                                                 std::to_string(kMessageBytesMax));
  }
  if (rest.size() < kEnvelopeHeadBytes + length) return std::nullopt;
  Envelope envelope{flags, std::string(rest.substr(kEnvelopeHeadBytes, length))};
  position_ += kEnvelopeHeadBytes + length;
  if (position_ == buffer_.size() || position_ > kMessageBytesMax) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
  return envelope;
}

}  // namespace viv::connect
