#include "base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "base/clock.h"
#include "base/json.h"

namespace viv::log {
namespace {

std::atomic<Level> least_level{Level::kInfo};
std::atomic<Format> line_format{Format::kText};

constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (unsigned char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c >= 0x7f) return false;
  }
  return true;
}

void Emit(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (level < least_level.load(std::memory_order_relaxed)) return;
  std::string line =
      Render(level, event, fields, line_format.load(std::memory_order_relaxed), NowMicros());
  line += '\n';
  // One write per line, so that lines of several threads never mix; a full pipe loses the line, not
  // the server.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

Value::Value(double value) : text_(fmt::format("{}", value)) {}

void Configure(Level least, Format format) {
  least_level = least;
  line_format = format;
}

std::string Render(Level level,
                   std::string_view event,
                   std::initializer_list<Field> fields,
                   Format format,
                   std::int64_t now_micros) {
  std::string_view name = kNames[static_cast<int>(level)];
  std::string time = IsoMicros(now_micros);
  std::string line;
  if (format == Format::kJson) {
    line = fmt::format(R"({{"time":"{}","level":"{}","event":"{}")", time, name, event);
    for (const Field& field : fields) {
      line += fmt::format(",\"{}\":", field.name);
      line += field.value.quoted() ? json::serialize(json::string(field.value.text()))
                                   : field.value.text();
    }
    return line + '}';
  }
  line = fmt::format("{} {:<5} {}", time, name, event);
  for (const Field& field : fields) {
    bool plain = !field.value.quoted() || IsPlain(field.value.text());
    line += fmt::format(" {}=", field.name);
    line += plain ? field.value.text() : json::serialize(json::string(field.value.text()));
  }
  return line;
}

void Debug(std::string_view event, std::initializer_list<Field> fields) {
  Emit(Level::kDebug, event, fields);
}
void Info(std::string_view event, std::initializer_list<Field> fields) {
  Emit(Level::kInfo, event, fields);
}
void Warn(std::string_view event, std::initializer_list<Field> fields) {
  Emit(Level::kWarn, event, fields);
}
void Error(std::string_view event, std::initializer_list<Field> fields) {
  Emit(Level::kError, event, fields);
}

}  // namespace viv::log
