#include "base/clock.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace viv {

std::int64_t NowMicros() {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::int64_t NowMs() {
  return NowMicros() / 1000;
}

std::string IsoMicros(std::int64_t micros) {
  std::int64_t fraction = micros % 1'000'000;
  auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  if (fraction < 0) {
    fraction += 1'000'000;
    --seconds;
  }
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", tm.tm_year + 1900,
                     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, fraction);
}

}  // namespace viv
