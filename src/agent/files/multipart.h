#pragma once
// Reads a multipart/form-data body (RFC 7578) as it arrives, in any pieces, holding no more than a
// piece and a part's header. The bytes are not trusted: a malformed form, one that exceeds a limit,
// and a body that ends before its last boundary are errors.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace viv::agent {

class MultipartParser {
 public:
  enum class Step {
    kMore,    // Feed or Finish
    kBegin,   // a part: name() and filename()
    kData,    // data(), until the next call
    kEnd,     // of the part
    kDone,    // of the form; what follows is ignored
    kBroken,  // error()
  };

  // See BoundaryOf.
  explicit MultipartParser(std::string_view boundary);

  void Feed(std::string_view bytes);
  void Finish() { finished_ = true; }  // no bytes are left
  Step Next();

  const std::string& name() const { return name_; }  // empty when the part has none
  const std::optional<std::string>& filename() const { return filename_; }
  std::string_view data() const { return data_; }
  const std::string& error() const { return error_; }

 private:
  enum class State { kPreamble, kHeader, kBody, kDone, kBroken };
  struct Delimiter;

  std::string_view Rest() const { return std::string_view(buffer_).substr(at_); }
  Delimiter FindDelimiter() const;
  Step NextInPreamble();
  Step NextInHeader();
  Step NextInBody();
  Step EndPart(const Delimiter& found);
  Step More();
  Step Break(std::string error);
  bool ReadHeader(std::string_view lines);

  std::string delimiter_;  // "\r\n--boundary"
  std::string buffer_;
  std::size_t at_ = 0;  // what lies before is done with
  State state_ = State::kPreamble;
  bool finished_ = false;
  std::size_t preamble_bytes_ = 0;
  std::size_t parts_ = 0;
  std::string name_;
  std::optional<std::string> filename_;
  std::string_view data_;
  std::string error_;
};

// The boundary that a Content-Type header names; nothing when there is none or it is no boundary.
std::optional<std::string> BoundaryOf(std::string_view content_type);

}  // namespace viv::agent
