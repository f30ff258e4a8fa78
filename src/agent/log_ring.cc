#include "agent/log_ring.h"

#include "base/clock.h"
#include "base/timestamp.h"

namespace viv::agent {
namespace {

std::string_view LogLevelName(LogRing::Level level) {
  switch (level) {
    case LogRing::Level::kDebug:
      return "debug";
    case LogRing::Level::kInfo:
      return "info";
    case LogRing::Level::kWarn:
      return "warn";
    case LogRing::Level::kError:
      return "error";
  }
  return "info";
}

}  // namespace

void LogRing::Add(Level level, std::string_view message, json::object fields) {
  std::int64_t micros = NowMicros();
  json::object entry;
  entry["sequence"] = first_ + entries_.size();
  entry["timestamp"] = FormatTimestamp(
      {.seconds = micros / 1'000'000, .nanos = static_cast<int>(micros % 1'000'000) * 1'000});
  entry["level"] = LogLevelName(level);
  entry["message"] = message.substr(0, kEntryBytesMax / 8);
  entry["fields"] = std::move(fields);
  std::string text = WriteJson(entry);
  if (text.size() > kEntryBytesMax) {
    entry["fields"] = json::object();
    text = WriteJson(entry);
  }
  bytes_ += text.size();
  entries_.push_back(std::move(text));
  while (entries_.size() > kEntriesMax || bytes_ > kBytesMax) {
    bytes_ -= entries_.front().size();
    entries_.pop_front();
    ++first_;
  }
}

std::string LogRing::Render(std::uint64_t after) const {
  std::string out = R"({"logs":[)";
  std::uint64_t sequence = first_;
  for (const std::string& entry : entries_) {
    if (sequence++ <= after) continue;
    if (out.back() != '[') out += ',';
    out += entry;
  }
  out += "]}";
  return out;
}

}  // namespace viv::agent
