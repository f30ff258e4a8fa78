#pragma once
// Regular expressions as agents write them, for RE2. Their engines (Python's, Rust's) take \w, \d
// and \s to mean all of Unicode, where RE2 means ASCII, and spell a few things otherwise. A pattern
// that needs look-around or back references is beyond RE2 and stays an error.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace viv::tools {

enum class LetterCase { kMatters, kIgnored };

// The same pattern in RE2's words.
std::string ToRe2Syntax(std::string_view pattern);

// Ready to search with, `^` and `$` meaning a line's start and end; kInvalidArgument says what is
// wrong with the pattern.
Result<std::shared_ptr<const re2::RE2>> CompilePattern(std::string_view pattern,
                                                       LetterCase letter_case);

}  // namespace viv::tools
