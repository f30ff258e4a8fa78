#pragma once
// Structured logs: one line per event on standard error, logfmt by default, JSON on request. A line
// is an event in the past tense with fields and ids; never a body, a key or an environment value.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace viv::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

// A field's value: text, a number or a truth value, each written as such.
class Value {
 public:
  Value(std::string_view text) : text_(text), quoted_(true) {}    // NOLINT: fields read as literals
  Value(const std::string& text) : text_(text), quoted_(true) {}  // NOLINT
  Value(const char* text) : text_(text), quoted_(true) {}         // NOLINT
  Value(bool value) : text_(value ? "true" : "false") {}          // NOLINT
  Value(double value);                                            // NOLINT
  template <typename T>
  requires std::is_integral_v<T> Value(T value) : text_(std::to_string(value)) {}  // NOLINT

  const std::string& text() const { return text_; }
  bool quoted() const { return quoted_; }

 private:
  std::string text_;
  bool quoted_ = false;
};

struct Field {
  std::string_view name;
  Value value;
};

void Configure(Level least, Format format);
std::string Render(Level level,
                   std::string_view event,
                   std::initializer_list<Field> fields,
                   Format format,
                   std::int64_t now_micros);

void Debug(std::string_view event, std::initializer_list<Field> fields = {});
void Info(std::string_view event, std::initializer_list<Field> fields = {});
void Warn(std::string_view event, std::initializer_list<Field> fields = {});
void Error(std::string_view event, std::initializer_list<Field> fields = {});

}  // namespace viv::log
