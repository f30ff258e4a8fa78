#include "http/sse.h"

#include <algorithm>

namespace viv::http {
namespace {

void AppendField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  std::copy_if(value.begin(), value.end(), std::back_inserter(out),
               [](char c) { return c != '\r' && c != '\n' && c != '\0'; });
  out += '\n';
}

}  // namespace

std::string FormatEvent(const ServerSentEvent& event) {
  std::string out;
  out.reserve(event.data.size() + event.id.size() + event.event.size() + 32);
  if (!event.id.empty()) AppendField(out, "id", event.id);
  if (!event.event.empty()) AppendField(out, "event", event.event);
  std::string_view rest = event.data;
  for (;;) {
    std::size_t end = rest.find_first_of("\r\n");
    out.append("data: ").append(rest.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    bool pair = rest[end] == '\r' && end + 1 < rest.size() && rest[end + 1] == '\n';
    rest.remove_prefix(end + (pair ? 2 : 1));
  }
  out += '\n';
  return out;
}

Response EventStream(std::function<Task<void>(BodyWriter&)> stream) {
  Response response;
  response.headers.Add("Content-Type", "text/event-stream");
  response.headers.Add("Cache-Control", "no-cache, no-transform");
  response.headers.Add("X-Accel-Buffering", "no");
  response.stream = std::move(stream);
  return response;
}

}  // namespace viv::http
