#pragma once
// The frames of yamux (version 0), which carries many streams over one connection: a header of
// twelve bytes, and after that of a data frame as many bytes as it says.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace viv::agent {

enum class YamuxType : std::uint8_t { kData = 0, kWindowUpdate = 1, kPing = 2, kGoAway = 3 };

constexpr std::uint16_t kYamuxSyn = 1;
constexpr std::uint16_t kYamuxAck = 2;
constexpr std::uint16_t kYamuxFin = 4;
constexpr std::uint16_t kYamuxRst = 8;
constexpr std::size_t kYamuxHeaderBytes = 12;
constexpr std::uint32_t kYamuxWindowBytes = 256 * 1024;  // of a new stream, each way

// Why a session ends, in the length of its last frame.
constexpr std::uint32_t kYamuxNormalEnd = 0;
constexpr std::uint32_t kYamuxProtocolError = 1;

struct YamuxHeader {
  YamuxType type = YamuxType::kData;
  std::uint16_t flags = 0;
  std::uint32_t stream = 0;
  std::uint32_t length = 0;  // of the data; a window's growth; a ping's value; why it ends
};

std::string EncodeYamux(const YamuxHeader& header);

// Reads frames out of bytes that come in any pieces. Data is passed on as it arrives, so that a
// frame of any length needs no memory.
class YamuxParser {
 public:
  enum class Step {
    kMore,    // Feed
    kFrame,   // header(); for data with a length, that much follows as kData
    kData,    // data(), never empty, until the next call; last_data() says whether more follows
    kBroken,  // no yamux: error()
  };
  void Feed(std::string_view bytes);
  Step Next();

  const YamuxHeader& header() const { return header_; }
  std::string_view data() const { return data_; }
  bool last_data() const { return data_left_ == 0; }
  const std::string& error() const { return error_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;  // what lies before is done with
  std::uint32_t data_left_ = 0;
  YamuxHeader header_;
  std::string_view data_;
  std::string error_;
};

}  // namespace viv::agent
