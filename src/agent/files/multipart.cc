#include "agent/files/multipart.h"

#include <algorithm>

#include "agent/files/media_type.h"
#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::size_t kBoundaryBytesMax = 70;       // RFC 2046
constexpr std::size_t kPartHeaderBytesMax = 16384;  // a path has at most 4096, escaped thrice that
constexpr std::size_t kPartHeaderLinesMax = 64;
constexpr std::size_t kPreambleBytesMax = 64 * 1024;
constexpr std::size_t kDelimiterPaddingMax = 256;  // blanks between a boundary and its line's end
constexpr std::size_t kPartsMax = 10'000;

}  // namespace

struct MultipartParser::Delimiter {
  enum class Kind { kNone, kUnclear, kNext, kLast };
  Kind kind = Kind::kNone;
  std::size_t start = 0;  // in Rest(); of kNone, up to where there is certainly none
  std::size_t end = 0;
};

MultipartParser::MultipartParser(std::string_view boundary)
    : delimiter_("\r\n--" + std::string(boundary)), buffer_("\r\n") {}  // the first may lack it

void MultipartParser::Feed(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(bytes);
}

MultipartParser::Step MultipartParser::Next() {
  switch (state_) {
    case State::kPreamble:
      return NextInPreamble();
    case State::kHeader:
      return NextInHeader();
    case State::kBody:
      return NextInBody();
    case State::kDone:
      return Step::kDone;
    case State::kBroken:
      return Step::kBroken;
  }
  return Step::kBroken;
}

MultipartParser::Delimiter MultipartParser::FindDelimiter() const {
  std::string_view rest = Rest();
  Delimiter found;
  for (std::size_t from = 0;; from = found.start + 1) {
    found.start = rest.find(delimiter_, from);
    if (found.start == std::string_view::npos) break;
    std::size_t end = found.start + delimiter_.size();
    if (rest.substr(end).starts_with("--")) {
      return {Delimiter::Kind::kLast, found.start, end + 2};
    }
    std::size_t padding_end = std::min(end + kDelimiterPaddingMax, rest.size());
    while (end < padding_end && (rest[end] == ' ' || rest[end] == '\t')) ++end;
    std::string_view line_end = rest.substr(end, 2);
    if (line_end == "\r\n") return {Delimiter::Kind::kNext, found.start, end + 2};
    bool unclear = line_end.empty() || line_end == "\r" || line_end == "-";
    if (unclear && end + line_end.size() == rest.size()) {
      return {Delimiter::Kind::kUnclear, found.start, 0};
    }
    // A boundary with something behind it is data that only looks like one.
  }
  std::size_t tail = std::min(delimiter_.size() - 1, rest.size());
  return {Delimiter::Kind::kNone, rest.size() - tail, 0};
}

MultipartParser::Step MultipartParser::NextInPreamble() {
  Delimiter found = FindDelimiter();
  preamble_bytes_ += found.start;
  if (preamble_bytes_ > kPreambleBytesMax) return Break("no boundary at the start of the form");
  at_ += found.start;
  if (found.kind == Delimiter::Kind::kNext || found.kind == Delimiter::Kind::kLast) {
    at_ += found.end - found.start;
    state_ = found.kind == Delimiter::Kind::kLast ? State::kDone : State::kHeader;
    return Next();
  }
  return More();
}

MultipartParser::Step MultipartParser::NextInHeader() {
  std::string_view rest = Rest();
  std::size_t end = rest.starts_with("\r\n") ? 0 : rest.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (rest.size() > kPartHeaderBytesMax) return Break("the header of a part is too large");
    return More();
  }
  if (end > kPartHeaderBytesMax) return Break("the header of a part is too large");
  if (++parts_ > kPartsMax) return Break("the form has too many parts");
  if (!ReadHeader(rest.substr(0, end))) return Break("the header of a part is malformed");
  at_ += end == 0 ? 2 : end + 4;
  state_ = State::kBody;
  return Step::kBegin;
}

bool MultipartParser::ReadHeader(std::string_view lines) {
  name_.clear();
  filename_.reset();
  std::size_t count = 0;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(std::min(lines.size(), line.size() + 2));
    std::size_t colon = line.find(':');
    if (++count > kPartHeaderLinesMax || colon == std::string_view::npos || colon == 0)
      return false;
    if (!EqualsIgnoreCase(Trim(line.substr(0, colon)), "content-disposition")) continue;
    std::optional<MediaType> disposition = ParseMediaType(line.substr(colon + 1));
    if (!disposition) return false;
    if (disposition->type != "form-data") continue;
    auto& parameters = disposition->parameters;
    if (auto name = parameters.find("name"); name != parameters.end()) name_ = name->second;
    if (auto name = parameters.find("filename"); name != parameters.end()) filename_ = name->second;
  }
  return true;
}

MultipartParser::Step MultipartParser::NextInBody() {
  Delimiter found = FindDelimiter();
  bool ends = found.kind == Delimiter::Kind::kNext || found.kind == Delimiter::Kind::kLast;
  if (found.start > 0) {
    data_ = Rest().substr(0, found.start);
    at_ += found.start;
    return Step::kData;
  }
  return ends ? EndPart(found) : More();
}

MultipartParser::Step MultipartParser::EndPart(const Delimiter& found) {
  at_ += found.end;
  state_ = found.kind == Delimiter::Kind::kLast ? State::kDone : State::kHeader;
  return Step::kEnd;
}

MultipartParser::Step MultipartParser::More() {
  if (finished_) return Break("the form ends before its last boundary");
  return Step::kMore;
}

MultipartParser::Step MultipartParser::Break(std::string error) {
  error_ = std::move(error);
  state_ = State::kBroken;
  return Step::kBroken;
}

std::optional<std::string> BoundaryOf(std::string_view content_type) {
  std::optional<MediaType> media = ParseMediaType(content_type);
  if (!media || !media->type.starts_with("multipart/")) return std::nullopt;
  auto found = media->parameters.find("boundary");
  if (found == media->parameters.end()) return std::nullopt;
  const std::string& boundary = found->second;
  bool printable =
      std::all_of(boundary.begin(), boundary.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (boundary.empty() || boundary.size() > kBoundaryBytesMax || !printable) return std::nullopt;
  if (boundary.ends_with(' ')) return std::nullopt;
  return boundary;
}

}  // namespace viv::agent
