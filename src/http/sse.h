#pragma once
// Server-sent events: the text/event-stream form, one event at a time. Keepalive comments are the
// caller's business, who knows when its stream is silent.

#include <functional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace viv::http {

struct ServerSentEvent {
  std::string id;     // empty: none
  std::string event;  // empty: the client's default, "message"
  std::string data;   // may have several lines
};

// Ready to be written. Line breaks inside id and event are dropped, as they would end the field.
std::string FormatEvent(const ServerSentEvent& event);

constexpr std::string_view kEventKeepalive = ": keepalive\n\n";

// 200 with the headers that keep caches and proxies from holding events back.
Response EventStream(std::function<Task<void>(BodyWriter&)> stream);

}  // namespace viv::http
