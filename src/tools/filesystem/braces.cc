#include "tools/filesystem/braces.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/text.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kExpansionsMax = 1000;
constexpr int kBraceDepthMax = 16;

// The brace that closes the one at `open`; npos when none does.
std::size_t ClosingBrace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return text.npos;
}

std::vector<std::string_view> SplitAtCommas(std::string_view body) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\') {
      ++i;
    } else if (body[i] == '{') {
      ++depth;
    } else if (body[i] == '}') {
      --depth;
    } else if (body[i] == ',' && depth == 0) {
      parts.push_back(body.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(body.substr(begin));
  return parts;
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // Limited so that adding a step cannot overflow.
  if (error != std::errc() || stop != text.data() + text.size() || std::llabs(number) > (1LL << 53))
    return std::nullopt;
  return number;
}

bool IsLetter(std::string_view text) {
  return text.size() == 1 &&
         ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

bool HasLeadingZero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0';
}

std::string Padded(std::int64_t number, std::size_t width) {
  std::string digits = std::to_string(std::llabs(number));
  const std::string sign = number < 0 ? "-" : "";
  while (digits.size() + sign.size() < width) digits.insert(0, 1, '0');
  return sign + digits;
}

// What {from..to} and {from..to..step} stand for; nothing when the body is not of that form.
std::vector<std::string> ExpandSequence(std::string_view body) {
  std::vector<std::string_view> ends;
  for (std::size_t at = 0; at <= body.size();) {
    const std::size_t dots = std::min(body.find("..", at), body.size());
    ends.push_back(body.substr(at, dots - at));
    at = dots + 2;
  }
  if (ends.size() != 2 && ends.size() != 3) return {};
  const bool letters = IsLetter(ends[0]) && IsLetter(ends[1]);
  const auto from = letters ? std::optional<std::int64_t>(ends[0][0]) : WholeNumber(ends[0]);
  const auto to = letters ? std::optional<std::int64_t>(ends[1][0]) : WholeNumber(ends[1]);
  const auto given = ends.size() == 3 ? WholeNumber(ends[2]) : std::optional<std::int64_t>(1);
  if (!from || !to || !given) return {};
  const std::int64_t step = std::max<std::int64_t>(1, std::llabs(*given));
  const bool padded = !letters && (HasLeadingZero(ends[0]) || HasLeadingZero(ends[1]));
  const std::size_t width = padded ? std::max(ends[0].size(), ends[1].size()) : 0;
  std::vector<std::string> out;
  for (std::int64_t i = *from; *from <= *to ? i <= *to : i >= *to;
       i += *from <= *to ? step : -step) {
    if (out.size() == kExpansionsMax) break;
    out.push_back(letters ? std::string(1, static_cast<char>(i)) : Padded(i, width));
  }
  return out;
}

std::vector<std::string> ExpandWithin(std::string_view pattern, int depth);

// The meanings of one pair of braces; none when it has none and stands for itself.
std::vector<std::string> ExpandBody(std::string_view body, int depth) {
  const std::vector<std::string_view> parts = SplitAtCommas(body);
  std::vector<std::string> out;
  if (parts.size() > 1) {
    for (std::string_view part : parts)
      for (std::string& one : ExpandWithin(part, depth + 1))
        if (out.size() < kExpansionsMax) out.push_back(std::move(one));
    return out;
  }
  out = ExpandSequence(body);
  if (!out.empty()) return out;
  std::vector<std::string> inner = ExpandWithin(body, depth + 1);
  if (inner.size() < 2) return {};
  for (std::string& one : inner) one = "{" + one + "}";
  return inner;
}

std::vector<std::string> ExpandWithin(std::string_view pattern, int depth) {
  for (std::size_t i = 0; i < pattern.size() && depth < kBraceDepthMax; ++i) {
    if (pattern[i] == '\\') {
      ++i;
      continue;
    }
    if (pattern[i] != '{') continue;
    const std::size_t close = ClosingBrace(pattern, i);
    if (close == pattern.npos) continue;
    const bool shell_variable = i > 0 && pattern[i - 1] == '$';
    const std::vector<std::string> middles =
        shell_variable ? std::vector<std::string>()
                       : ExpandBody(pattern.substr(i + 1, close - i - 1), depth);
    if (middles.empty()) {
      i = close;
      continue;
    }
    std::vector<std::string> out;
    const std::vector<std::string> ends = ExpandWithin(pattern.substr(close + 1), depth);
    for (const std::string& middle : middles)
      for (const std::string& end : ends)
        if (out.size() < kExpansionsMax)
          out.push_back(std::string(pattern.substr(0, i)) + middle + end);
    return out;
  }
  return {std::string(pattern)};
}

}  // namespace

std::vector<std::string> ExpandBraces(std::string_view pattern) {
  return ExpandWithin(pattern, 0);
}

}  // namespace viv::tools::filesystem
