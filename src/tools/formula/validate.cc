#include "tools/formula/validate.h"

#include <array>

namespace viv::formula {
namespace {

constexpr std::array<std::string_view, 5> kUnsafeFunctions = {"INDIRECT", "HYPERLINK", "WEBSERVICE",
                                                              "DGET", "RTD"};

bool IsCapital(char c) {
  return c >= 'A' && c <= 'Z';
}

// The capitals right before the parenthesis at `open`; parts of longer names count as well.
std::string_view NameBefore(std::string_view text, std::size_t open) {
  std::size_t begin = open;
  while (begin > 0 && IsCapital(text[begin - 1])) --begin;
  return text.substr(begin, open - begin);
}

}  // namespace

Status ValidateFormula(std::string_view formula) {
  if (formula.empty() || formula[0] != '=')
    return Fail(ErrorCode::kInvalidArgument, "Formula must start with '='");
  formula.remove_prefix(1);
  int open = 0;
  for (char c : formula) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (open < 0) return Fail(ErrorCode::kInvalidArgument, "Unmatched closing parenthesis");
  }
  if (open > 0) return Fail(ErrorCode::kInvalidArgument, "Unclosed parenthesis");
  for (std::size_t i = 0; i < formula.size(); ++i) {
    if (formula[i] != '(') continue;
    std::string_view name = NameBefore(formula, i);
    for (std::string_view refused : kUnsafeFunctions)
      if (name == refused)
        return Fail(ErrorCode::kInvalidArgument, "Unsafe function: " + std::string(refused));
  }
  return {};
}

}  // namespace viv::formula
