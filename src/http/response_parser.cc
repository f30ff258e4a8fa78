#include "http/response_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "http/response_writer.h"

namespace viv::http {
namespace {

constexpr std::size_t kResponseHeadBytesMax = 64 * 1024;
constexpr std::size_t kResponseHeadersMax = 256;
constexpr std::size_t kChunkLineBytesMax = 4 * 1024;
constexpr std::size_t kInterimResponsesMax = 16;

// All of `text`, without sign or space.
std::optional<std::uint64_t> ParseWhole(std::string_view text, int base) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

ResponseParser::Step ResponseParser::Feed(std::string_view bytes) {
  if (stage_ == Stage::kDone) return {State::kDone, 0};
  if (stage_ == Stage::kBroken) return {State::kBroken, 0};
  return in_lines() ? FeedLines(bytes) : FeedPiece(bytes, 0);
}

bool ResponseParser::in_lines() const {
  return stage_ != Stage::kLength && stage_ != Stage::kUntilEnd && stage_ != Stage::kChunk &&
         stage_ != Stage::kDone && stage_ != Stage::kBroken;
}

ResponseParser::Step ResponseParser::FeedLines(std::string_view bytes) {
  std::size_t consumed = 0;
  while (in_lines()) {
    std::size_t limit = stage_ == Stage::kChunkSize || stage_ == Stage::kChunkEnd
                            ? kChunkLineBytesMax
                            : kResponseHeadBytesMax;
    std::size_t end = bytes.find('\n', consumed + std::exchange(scanned_, 0));
    std::size_t size = std::min(end, bytes.size()) - consumed;
    if (line_bytes_ + size > limit) {
      Break("the head is larger than " + std::to_string(limit) + " bytes",
            ErrorCode::kLimitExceeded);
      break;
    }
    if (end == std::string_view::npos) {
      scanned_ = size;
      return {State::kNeedsMore, consumed};
    }
    std::string_view line = bytes.substr(consumed, size);
    consumed = end + 1;
    line_bytes_ += size + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    Line taken = HandleLine(line);
    if (taken == Line::kHeadDone) return {State::kHead, consumed};
    if (taken == Line::kInterim) return {State::kInterim, consumed};
  }
  if (stage_ == Stage::kBroken) return {State::kBroken, consumed};
  if (stage_ == Stage::kDone) return {State::kDone, consumed};
  return FeedPiece(bytes, consumed);
}

ResponseParser::Step ResponseParser::FeedPiece(std::string_view bytes, std::size_t consumed) {
  std::string_view piece = bytes.substr(consumed);
  if (piece.empty()) return {State::kNeedsMore, consumed};
  if (stage_ != Stage::kUntilEnd) {
    piece = piece.substr(0, std::min<std::uint64_t>(left_, piece.size()));
    left_ -= piece.size();
    if (left_ == 0) stage_ = stage_ == Stage::kChunk ? Stage::kChunkEnd : Stage::kDone;
  }
  return {State::kPiece, consumed + piece.size(), piece};
}

ResponseParser::Line ResponseParser::HandleLine(std::string_view line) {
  switch (stage_) {
    case Stage::kStatusLine:
      return TakeStatusLine(line);
    case Stage::kHeaders:
      return line.empty() ? EndHead() : TakeHeader(line);
    case Stage::kChunkSize:
      return TakeChunkSize(line);
    case Stage::kChunkEnd:
      if (!line.empty()) return Break("a chunk is longer than it says");
      stage_ = Stage::kChunkSize;
      line_bytes_ = 0;
      return Line::kContinue;
    default:
      return TakeTrailer(line);
  }
}

// "HTTP/1.1 200 OK"; the reason phrase may be anything.
ResponseParser::Line ResponseParser::TakeStatusLine(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  bool fits = line.starts_with(kVersion) && line.size() >= 12 &&
              (line[7] == '0' || line[7] == '1') && line[8] == ' ' &&
              std::all_of(line.begin() + 9, line.begin() + 12, IsDigit) && line[9] != '0' &&
              (line.size() == 12 || line[12] == ' ');
  if (!fits) return Break("no HTTP/1 status line");
  head_.headers.Clear();  // of an interim response
  length_.reset();
  is_http_1_1_ = line[7] == '1';
  head_.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  stage_ = Stage::kHeaders;
  return Line::kContinue;
}

ResponseParser::Line ResponseParser::TakeHeader(std::string_view line) {
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Break("a header without a colon");
  std::string_view name = line.substr(0, colon);
  std::string_view value = Trim(line.substr(colon + 1));
  if (!IsSafeHeader(name, value)) return Break("a malformed header");
  if (head_.headers.size() >= kResponseHeadersMax) {
    return Break("more than " + std::to_string(kResponseHeadersMax) + " headers",
                 ErrorCode::kLimitExceeded);
  }
  if (EqualsIgnoreCase(name, "content-length")) {
    std::optional<std::uint64_t> length = ParseWhole(value, 10);
    if (!length || (length_ && *length_ != *length)) return Break("a malformed Content-Length");
    length_ = length;
  }
  head_.headers.Add(std::string(name), std::string(value));
  return Line::kContinue;
}

ResponseParser::Line ResponseParser::EndHead() {
  line_bytes_ = 0;
  if (head_.status < 200 && head_.status != 101) return EndInterim();
  bool chunked = head_.headers.Has("transfer-encoding");
  if (chunked &&
      (length_ || !EqualsIgnoreCase(head_.headers.Get("transfer-encoding"), "chunked"))) {
    return Break("a transfer encoding other than chunked, or together with a length");
  }
  if (method_ == RequestMethod::kHead || !StatusHasBody(head_.status)) {
    stage_ = Stage::kDone;
  } else if (chunked) {
    stage_ = Stage::kChunkSize;
  } else if (length_) {
    left_ = *length_;
    stage_ = left_ > 0 ? Stage::kLength : Stage::kDone;
  } else {
    stage_ = Stage::kUntilEnd;
  }
  return Line::kHeadDone;
}

ResponseParser::Line ResponseParser::EndInterim() {
  if (++interim_ > kInterimResponsesMax) return Break("too many interim answers");
  stage_ = Stage::kStatusLine;
  return interim_mode_ == Interim::kReported ? Line::kInterim : Line::kContinue;
}

ResponseParser::Line ResponseParser::TakeChunkSize(std::string_view line) {
  std::string_view digits = Trim(line.substr(0, line.find(';')));
  std::optional<std::uint64_t> size = ParseWhole(digits, 16);
  if (!size) return Break("a malformed chunk size");
  line_bytes_ = 0;
  left_ = *size;
  stage_ = left_ > 0 ? Stage::kChunk : Stage::kTrailers;
  return Line::kContinue;
}

ResponseParser::Line ResponseParser::TakeTrailer(std::string_view line) {
  if (line.empty()) {
    stage_ = Stage::kDone;
    return Line::kContinue;
  }
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Line::kContinue;
  std::string_view name = line.substr(0, colon);
  std::string_view value = Trim(line.substr(colon + 1));
  if (trailers_.size() < kResponseHeadersMax && IsSafeHeader(name, value)) {
    trailers_.Add(std::string(name), std::string(value));
  }
  return Line::kContinue;
}

ResponseParser::Line ResponseParser::Break(std::string message, ErrorCode code) {
  stage_ = Stage::kBroken;
  error_ = Error{code, std::move(message)};
  return Line::kBroken;
}

}  // namespace viv::http
