#include "tools/formula/date_format.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/text.h"
#include "tools/formula/calendar.h"

namespace viv::formula {
namespace {

struct DatePiece {
  // y, m (month), n (minute), d, h, s, f (fraction of a second), a (AM/PM), H, N, S (elapsed), or 0
  // for a literal.
  char kind = 0;
  std::string text;
};

bool IsDateLetter(char c) {
  c = static_cast<char>(c | 0x20);
  return c == 'y' || c == 'm' || c == 'd' || c == 'h' || c == 's';
}

void AddElapsed(std::string_view inside, std::vector<DatePiece>& out) {
  char letter = static_cast<char>(inside[0] | 0x20);
  char kind = letter == 'h' ? 'H' : letter == 'm' ? 'N' : 'S';
  out.push_back({kind, std::string(inside)});
}

// "m" means minutes after hours or before seconds, months otherwise.
void TellMinutes(std::vector<DatePiece>& pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind != 'm' || pieces[i].text.size() > 2) continue;
    for (std::size_t k = i; k-- > 0;) {
      if (pieces[k].kind == 0) continue;
      if (pieces[k].kind == 'h' || pieces[k].kind == 'H') pieces[i].kind = 'n';
      break;
    }
    for (std::size_t k = i + 1; k < pieces.size() && pieces[i].kind == 'm'; ++k) {
      if (pieces[k].kind == 0) continue;
      if (pieces[k].kind == 's' || pieces[k].kind == 'S') pieces[i].kind = 'n';
      break;
    }
  }
}

std::vector<DatePiece> CutDateFormat(std::string_view text) {
  std::vector<DatePiece> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      std::size_t close = std::min(text.find('"', i + 1), text.size());
      out.push_back({0, std::string(text.substr(i + 1, close - i - 1))});
      i = close;
    } else if (c == '\\' && i + 1 < text.size()) {
      out.push_back({0, std::string(1, text[++i])});
    } else if (c == '[') {
      std::size_t close = text.find(']', i);
      if (close == std::string_view::npos || close == i + 1) continue;
      AddElapsed(text.substr(i + 1, close - i - 1), out);
      i = close;
    } else if (EqualsIgnoreCase(text.substr(i, 5), "AM/PM")) {
      out.push_back({'a', "AM/PM"});
      i += 4;
    } else if (EqualsIgnoreCase(text.substr(i, 3), "A/P")) {
      out.push_back({'a', "A/P"});
      i += 2;
    } else if (IsDateLetter(c)) {
      std::size_t end = i;
      while (end < text.size() && (text[end] | 0x20) == (c | 0x20)) ++end;
      out.push_back({static_cast<char>(c | 0x20), std::string(text.substr(i, end - i))});
      i = end - 1;
    } else if (c == '.' && i + 1 < text.size() && text[i + 1] == '0') {
      std::size_t end = text.find_first_not_of('0', i + 1);
      if (end == std::string_view::npos) end = text.size();
      out.push_back({'f', std::string(text.substr(i + 1, end - i - 1))});
      i = end - 1;
    } else if (c != '_' && c != '*') {
      out.push_back({0, std::string(1, c)});
    } else {
      ++i;
    }
  }
  TellMinutes(out);
  return out;
}

struct DateShown {
  CalendarDate date;
  ClockTime time;
  double serial = 0;
  bool twelve = false;
};

std::string Padded(int number, std::size_t letters) {
  return letters >= 2 ? fmt::format("{:02}", number) : std::to_string(number);
}

std::string DateWord(std::string_view name, std::size_t letters) {
  if (letters == 3) return std::string(name.substr(0, 3));
  if (letters == 5) return std::string(name.substr(0, 1));
  return std::string(name);
}

std::string ShowPiece(const DatePiece& piece, const DateShown& shown) {
  std::size_t letters = piece.text.size();
  int hour = shown.time.hour;
  double seconds = std::floor(shown.serial * 86'400 + 1e-6);
  switch (piece.kind) {
    case 'y':
      return letters <= 2 ? fmt::format("{:02}", shown.date.year % 100)
                          : fmt::format("{:04}", shown.date.year);
    case 'm':
      return letters <= 2 ? Padded(shown.date.month, letters)
                          : DateWord(MonthName(shown.date.month), letters);
    case 'd':
      return letters <= 2 ? Padded(shown.date.day, letters)
                          : DateWord(WeekdayName(WeekdayOfSerial(shown.serial)), letters);
    case 'h':
      return Padded(shown.twelve ? (hour + 11) % 12 + 1 : hour, letters);
    case 'n':
      return Padded(shown.time.minute, letters);
    case 's':
      return Padded(static_cast<int>(shown.time.second), letters);
    case 'f': {
      std::string digits = fmt::format("{:.6f}", shown.time.second - std::floor(shown.time.second));
      return digits.substr(1, std::min<std::size_t>(letters, 6) + 1);
    }
    case 'a': {
      std::string word = hour < 12 ? "AM" : "PM";
      return letters == 3 ? word.substr(0, 1) : word;
    }
    case 'H':
      return fmt::format("{:0{}.0f}", std::floor(seconds / 3600), letters);
    case 'N':
      return fmt::format("{:0{}.0f}", std::floor(seconds / 60), letters);
    case 'S':
      return fmt::format("{:0{}.0f}", seconds, letters);
    default:
      return piece.text;
  }
}

}  // namespace

bool IsDateFormat(std::string_view section) {
  for (const DatePiece& piece : CutDateFormat(section))
    if (piece.kind != 0 && piece.kind != 'f') return true;
  return false;
}

std::string FormatDate(double serial, std::string_view section) {
  std::vector<DatePiece> pieces = CutDateFormat(section);
  DateShown shown;
  std::size_t fraction = 0;
  for (const DatePiece& piece : pieces) {
    shown.twelve = shown.twelve || piece.kind == 'a';
    if (piece.kind == 'f') fraction = std::min<std::size_t>(piece.text.size(), 6);
  }
  // Seconds are rounded to what is shown before they are cut into parts: 59.9996 is a new minute.
  double scale = 86'400 * std::pow(10.0, static_cast<double>(fraction));
  serial = std::round(serial * scale) / scale;
  if (serial > kSerialMax + 1) return std::string(11, '#');
  shown.serial = serial;
  shown.date = DateFromSerial(serial + 1e-9);
  shown.time = TimeFromSerial(serial);
  std::string out;
  for (const DatePiece& piece : pieces) out += ShowPiece(piece, shown);
  return out;
}

}  // namespace viv::formula
