#pragma once
// The frames of a Connect stream: a byte of flags, the length in four bytes, the message. The
// transport may split them anywhere, so that the splitter takes bytes in any pieces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/connect/rpc_error.h"

namespace viv::connect {

constexpr std::size_t kMessageBytesMax = 16 * 1024 * 1024;
constexpr std::uint8_t kFlagCompressed = 0x01;
constexpr std::uint8_t kFlagEndStream = 0x02;

struct Envelope {
  std::uint8_t flags = 0;
  std::string message;
};

std::string WrapEnvelope(std::uint8_t flags, std::string_view message);

class EnvelopeSplitter {
 public:
  void Feed(std::string_view bytes) { buffer_ += bytes; }

  // The next whole envelope; nothing until more bytes come. A compressed one is kUnimplemented, one
  // above the limit kResourceExhausted, an unknown flag kInvalidArgument; what follows is then
  // lost.
  RpcResult<std::optional<Envelope>> Next();

  bool empty() const { return position_ == buffer_.size(); }  // no bytes of a further envelope

 private:
  std::string buffer_;
  std::size_t position_ = 0;  // of the first byte not given out
};

}  // namespace viv::connect
