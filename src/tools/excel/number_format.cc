#include "tools/excel/number_format.h"

#include <array>
#include <string>
#include <utility>

#include "base/text.h"

namespace viv::tools::excel {
namespace {

constexpr std::array<std::pair<std::uint32_t, std::string_view>, 36> kStandardFormats = {{
    {0, "General"},
    {1, "0"},
    {2, "0.00"},
    {3, "#,##0"},
    {4, "#,##0.00"},
    {5, "\"$\"#,##0_);(\"$\"#,##0)"},
    {6, "\"$\"#,##0_);[Red](\"$\"#,##0)"},
    {7, "\"$\"#,##0.00_);(\"$\"#,##0.00)"},
    {8, "\"$\"#,##0.00_);[Red](\"$\"#,##0.00)"},
    {9, "0%"},
    {10, "0.00%"},
    {11, "0.00E+00"},
    {12, "# ?/?"},
    {13, "# ?\?/?\?"},
    {14, "mm-dd-yy"},
    {15, "d-mmm-yy"},
    {16, "d-mmm"},
    {17, "mmm-yy"},
    {18, "h:mm AM/PM"},
    {19, "h:mm:ss AM/PM"},
    {20, "h:mm"},
    {21, "h:mm:ss"},
    {22, "m/d/yy h:mm"},
    {37, "#,##0_);(#,##0)"},
    {38, "#,##0_);[Red](#,##0)"},
    {39, "#,##0.00_);(#,##0.00)"},
    {40, "#,##0.00_);[Red](#,##0.00)"},
    {41, "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)"},
    {42, "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)"},
    {43, "_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)"},
    {44, "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)"},
    {45, "mm:ss"},
    {46, "[h]:mm:ss"},
    {47, "mmss.0"},
    {48, "##0.0E+0"},
    {49, "@"},
}};

std::string_view FirstSection(std::string_view code) {
  return code.substr(0, code.find(';'));
}

// Whether `inside` a pair of brackets counts elapsed hours, minutes or seconds.
bool IsElapsed(std::string_view inside) {
  return inside == "h" || inside == "hh" || inside == "m" || inside == "mm" || inside == "s" ||
         inside == "ss";
}

}  // namespace

std::string_view StandardNumberFormat(std::uint32_t id) {
  for (const auto& [number, code] : kStandardFormats)
    if (number == id) return code;
  return {};
}

std::optional<std::uint32_t> FindStandardNumberFormat(std::string_view code) {
  for (const auto& [number, known] : kStandardFormats)
    if (known == code) return number;
  return {};
}

// Looks for a letter of dates outside of quotes and brackets that is not literal (after a
// backslash) and not a space's width (after an underscore).
bool IsDateFormat(std::string_view code) {
  const std::string_view section = FirstSection(code);
  char before = 0;
  for (std::size_t at = 0; at < section.size(); ++at) {
    const char c = section[at];
    if (c == '"') {
      if (const std::size_t end = section.find('"', at + 1); end != std::string_view::npos) {
        at = end;
        continue;
      }
    } else if (c == '[') {
      const std::size_t end = section.find(']', at + 1);
      if (end != std::string_view::npos && !IsElapsed(section.substr(at + 1, end - at - 1))) {
        at = end;
        continue;
      }
    } else if (std::string_view("dmhysDMHYS").find(c) != std::string_view::npos && before != '_' &&
               before != '\\') {
      return true;
    }
    before = c;
  }
  return false;
}

bool IsDurationFormat(std::string_view code) {
  const std::string section = ToLower(FirstSection(code));
  for (std::size_t at = section.find('['); at != std::string::npos;
       at = section.find('[', at + 1)) {
    const std::size_t end = section.find(']', at);
    if (end != std::string::npos &&
        IsElapsed(std::string_view(section).substr(at + 1, end - at - 1)))
      return true;
  }
  return false;
}

}  // namespace viv::tools::excel
