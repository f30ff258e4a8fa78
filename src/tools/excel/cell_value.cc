#include "tools/excel/cell_value.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace viv::tools::excel {
namespace {

constexpr double kMillisecondsOfDay = 86'400'000;
constexpr double kDaysMax = 2'958'466;  // the year 10000

std::string ClockText(std::int64_t milliseconds) {
  const std::int64_t seconds = milliseconds / 1000;
  std::string out =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (milliseconds % 1000 != 0) out += fmt::format(".{:06}", milliseconds % 1000 * 1000);
  return out;
}

json::value NumberValue(const Cell& cell) {
  if (!cell.decimal && cell.number == std::floor(cell.number) && std::abs(cell.number) < 9e18)
    return static_cast<std::int64_t>(cell.number);
  return cell.number;
}

}  // namespace

// Day 60 of the system from 1900 is the 29th of February that year did not have; the days before it
// are one more than they seem.
std::string DateText(double serial, bool starts_1904) {
  if (!std::isfinite(serial) || std::abs(serial) > kDaysMax) return "#VALUE!";
  double day = std::floor(serial);
  auto milliseconds =
      static_cast<std::int64_t>(std::nearbyint((serial - day) * kMillisecondsOfDay));
  if (serial >= 0 && serial < 1 && milliseconds < kMillisecondsOfDay)
    return ClockText(milliseconds);
  if (serial > 0 && serial < 60 && !starts_1904) day += 1;
  if (milliseconds >= kMillisecondsOfDay) {
    day += 1;
    milliseconds = 0;
  }
  const std::chrono::sys_days epoch =
      starts_1904 ? std::chrono::sys_days(std::chrono::year(1904) / 1 / 1)
                  : std::chrono::sys_days(std::chrono::year(1899) / 12 / 30);
  const std::chrono::year_month_day date(epoch + std::chrono::days(static_cast<int>(day)));
  const int year = static_cast<int>(date.year());
  if (year < 1 || year > 9999) return "#VALUE!";
  return fmt::format("{:04}-{:02}-{:02} ", year, static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day())) +
         ClockText(milliseconds);
}

std::string DurationText(double days) {
  if (!std::isfinite(days) || std::abs(days) > 999'999'999) return "#VALUE!";
  double whole = std::floor(days);
  auto milliseconds =
      static_cast<std::int64_t>(std::nearbyint((days - whole) * kMillisecondsOfDay));
  if (milliseconds >= kMillisecondsOfDay) {
    whole += 1;
    milliseconds = 0;
  }
  std::string clock = ClockText(milliseconds);
  if (clock.front() == '0') clock.erase(0, 1);
  if (whole == 0) return clock;
  return fmt::format("{} day{}, {}", static_cast<std::int64_t>(whole),
                     std::abs(whole) == 1 ? "" : "s", clock);
}

json::value CellValue(Workbook& workbook, const Sheet& sheet, Address at) {
  const Cell* cell = sheet.Find(at);
  if (cell == nullptr || sheet.Covered(at)) return nullptr;
  if (cell->formula != 0) return json::value("=" + sheet.Formula(*cell));
  switch (cell->kind) {
    case CellKind::kBlank:
      return nullptr;
    case CellKind::kBoolean:
      return cell->number != 0;
    case CellKind::kNumber: {
      const NumberMeaning meaning = workbook.styles().Meaning(cell->style);
      if (meaning == NumberMeaning::kNumber) return NumberValue(*cell);
      return json::value(meaning == NumberMeaning::kDate
                             ? DateText(cell->number, workbook.starts_1904())
                             : DurationText(cell->number));
    }
    case CellKind::kIsoDate: {
      std::string text = sheet.Text(*cell);
      if (const std::size_t t = text.find('T'); t != std::string::npos) text[t] = ' ';
      if (!text.empty() && text.back() == 'Z') text.pop_back();
      return json::value(text);
    }
    default:
      return json::value(sheet.Text(*cell));
  }
}

}  // namespace viv::tools::excel
