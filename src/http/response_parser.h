#pragma once
// Turns the bytes of a server's response into its head and the pieces of its body, within limits.
// It does no I/O: the caller feeds bytes, and feeds what was not consumed again together with more.
// The server is not trusted: the parser refuses what two parsers could read differently. Interim
// responses (1xx) are skipped unless the caller asks for them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace viv::http {

struct ResponseHead {
  int status = 0;
  Headers headers;
};

class ResponseParser {
 public:
  enum class RequestMethod { kHead, kOther };  // the response to HEAD has no body
  enum class Interim { kSkipped, kReported };
  enum class State {
    kNeedsMore,
    kInterim,  // head() is one of an interim response, until the next bytes are fed
    kHead,     // reported once
    kPiece,    // of the body
    kDone,     // further bytes do not belong to the response
    kBroken,
  };
  struct Step {
    State state;
    std::size_t consumed;         // of the bytes given
    std::string_view piece = {};  // among the consumed ones
  };

  explicit ResponseParser(RequestMethod method, Interim interim = Interim::kSkipped)
      : method_(method), interim_mode_(interim) {}

  Step Feed(std::string_view bytes);

  ResponseHead& head() { return head_; }
  // Valid once the head is done.
  std::optional<std::uint64_t> body_bytes() const { return length_; }  // the Content-Length
  bool has_body() const { return stage_ != Stage::kDone; }             // before any of it is fed
  bool ends_with_stream() const { return stage_ == Stage::kUntilEnd; }
  bool is_http_1_1() const { return is_http_1_1_; }
  // Valid once the body is done; malformed trailers are left out.
  Headers& trailers() { return trailers_; }
  const Error& error() const { return error_; }  // once broken

 private:
  enum class Stage {
    kStatusLine,
    kHeaders,
    kLength,
    kUntilEnd,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailers,
    kDone,
    kBroken,
  };
  enum class Line { kContinue, kInterim, kHeadDone, kBroken };

  Step FeedLines(std::string_view bytes);
  Step FeedPiece(std::string_view bytes, std::size_t consumed);
  Line HandleLine(std::string_view line);
  Line TakeStatusLine(std::string_view line);
  Line TakeHeader(std::string_view line);
  Line EndHead();
  Line EndInterim();
  Line TakeChunkSize(std::string_view line);
  Line TakeTrailer(std::string_view line);
  Line Break(std::string message, ErrorCode code = ErrorCode::kUnavailable);
  bool in_lines() const;

  const RequestMethod method_;
  const Interim interim_mode_;
  Stage stage_ = Stage::kStatusLine;
  ResponseHead head_;
  Headers trailers_;
  bool is_http_1_1_ = true;
  std::optional<std::uint64_t> length_;
  std::uint64_t left_ = 0;      // of the body, or of the chunk
  std::size_t scanned_ = 0;     // of the bytes given last, without a line end
  std::size_t line_bytes_ = 0;  // of this head, chunk line or trailer
  std::size_t interim_ = 0;     // how many there were
  Error error_{ErrorCode::kUnavailable, ""};
};

}  // namespace viv::http
