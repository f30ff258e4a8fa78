#pragma once
// Reads server-sent events out of the pieces of a body, as they arrive. Comments are dropped. Once
// an event has exceeded the limit, every further call fails.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/sse.h"

namespace viv::http {

class EventParser {
 public:
  explicit EventParser(std::size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

  // kLimitExceeded when an event, or a line, is too long.
  Status Feed(std::string_view piece);
  // The next whole event; nothing until more is fed.
  std::optional<ServerSentEvent> Next();

 private:
  void TakeLine(std::string_view line);

  const std::size_t event_bytes_max_;
  std::string waiting_;  // not yet split into lines
  std::size_t at_ = 0;   // in `waiting_`
  ServerSentEvent event_;
  bool has_data_ = false;
  bool finished_ = false;  // `event_` is whole
};

}  // namespace viv::http
