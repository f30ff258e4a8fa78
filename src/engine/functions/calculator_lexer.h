#pragma once
// The words of a calculator's expression. Signs people type for Python's are taken as these:
// "^" as "**", "×" as "*", "÷" as "/", "−" as "-".

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/functions/number.h"

namespace viv::engine::functions {

struct Token {
  enum class Kind { kNumber, kName, kSign, kEnd } kind = Kind::kEnd;
  std::string text;  // of a name or sign
  Number number;
};

// The tokens with a kEnd behind them. Fails with "invalid syntax".
Result<std::vector<Token>> Tokenize(std::string_view expression);

}  // namespace viv::engine::functions
