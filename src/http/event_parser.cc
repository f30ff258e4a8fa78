#include "http/event_parser.h"

#include <utility>

namespace viv::http {

Status EventParser::Feed(std::string_view piece) {
  if (at_ > 0) waiting_.erase(0, std::exchange(at_, 0));
  const std::size_t held = waiting_.size() + event_.data.size();
  if (held > event_bytes_max_ || piece.size() > event_bytes_max_ - held)
    return Fail(ErrorCode::kLimitExceeded, "a server-sent event is too long");
  waiting_.append(piece);
  return {};
}

std::optional<ServerSentEvent> EventParser::Next() {
  for (;;) {
    // A '\r' at the very end may be half of "\r\n": its line waits for the next piece.
    std::size_t end = waiting_.find_first_of("\r\n", at_);
    if (end == std::string::npos) return std::nullopt;
    std::size_t next = end + 1;
    if (waiting_[end] == '\r') {
      if (next == waiting_.size()) return std::nullopt;
      if (waiting_[next] == '\n') ++next;
    }
    TakeLine(std::string_view(waiting_).substr(at_, end - at_));
    at_ = next;
    if (!std::exchange(finished_, false)) continue;
    has_data_ = false;
    return std::exchange(event_, {});
  }
}

void EventParser::TakeLine(std::string_view line) {
  if (line.empty()) {
    finished_ = has_data_;
    if (!has_data_) event_ = {};  // without data it is none
    return;
  }
  std::string_view name = line.substr(0, line.find(':'));
  std::string_view value;
  if (name.size() < line.size()) value = line.substr(name.size() + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    event_.id = value;
  }
}

}  // namespace viv::http
