#pragma once
// CSV after RFC 4180: fields with commas, quotes or line ends stand in quotes, quotes double.

#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::engine::functions {

// One line without its end. null is an empty field; arrays and objects are written as JSON.
Result<std::string> CsvRow(const json::array& fields);

// An array of rows, each an array of strings. Lines may end in CRLF, LF or CR; the last end is not
// followed by a row, and an empty line is no row.
Result<json::array> ParseCsv(std::string_view text);

}  // namespace viv::engine::functions
