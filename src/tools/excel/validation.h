#pragma once
// The data validation rules of a sheet, as answers describe them.

#include <string>
#include <vector>

#include "base/json.h"
#include "tools/excel/workbook.h"

namespace viv::tools::excel {

struct Validation {
  std::vector<Range> ranges;
  json::object about_cell;  // without "cell", which goes in front
  json::object about_rule;  // {ranges, validation_type, allow_blank, allowed_values?}
};

std::vector<Validation> ReadValidations(Workbook& workbook, const Sheet& sheet);

}  // namespace viv::tools::excel
