// Fuzzes the functions of the engine that parse foreign text. The first byte picks one; where a
// function takes two texts, a zero byte parts them.

#include <absl/time/time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "engine/functions/calculator.h"
#include "engine/functions/diff.h"
#include "engine/functions/html.h"
#include "engine/functions/rrule_expand.h"
#include "engine/functions/time_text.h"
#include "fuzz_target.h"

namespace {

using namespace viv::engine::functions;

void ExpandRules(std::string_view text) {
  constexpr std::int64_t kDayMs = 86'400'000;
  Recurrence recurrence;
  recurrence.start_ms = 1'735'689'600'000;  // 2025-01-01
  for (std::string_view line : viv::Split(text, '\n')) {
    if (recurrence.set.rules.size() < 2) (void)AddRruleLine(line, recurrence.set);
  }
  Window window;
  window.from_ms = recurrence.start_ms;
  window.to_ms = recurrence.start_ms + 3650 * kDayMs;
  window.limit = 1000;
  std::int64_t last = window.from_ms - 1;
  for (std::int64_t start : Expand(recurrence, window)) {
    CHECK(start > last && start < window.to_ms);
    last = start;
  }
}

void Times(std::string_view text) {
  if (auto time = ParseTime(text, absl::UTCTimeZone())) {
    auto written = FormatTime(*time, "rfc3339ms", absl::UTCTimeZone());
    CHECK(written && ParseTime(*written, absl::UTCTimeZone()) == time);
  }
  (void)FormatTime(0, text, absl::UTCTimeZone());
}

void Diffs(std::string_view text) {
  std::size_t middle = std::min(text.find('\0'), text.size());
  std::string_view new_text = middle < text.size() ? text.substr(middle + 1) : std::string_view();
  auto diff = DiffUnified(text.substr(0, middle), new_text, 3);
  CHECK(diff && diff->empty() == (text.substr(0, middle) == new_text));
}

}  // namespace

FUZZ_TARGET(functions)(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      ExpandRules(text);
      break;
    case 1:
      (void)Calculate(text);
      break;
    case 2:
      Diffs(text);
      break;
    case 3:
      Times(text);
      break;
    default:
      (void)HtmlToText(text);
  }
  return 0;
}
