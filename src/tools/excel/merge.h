#pragma once
// Merged ranges.

#include "tools/excel/sheet.h"

namespace viv::tools::excel {

// Only the first cell keeps its value.
Status MergeRange(Sheet& sheet, const Range& range);

}  // namespace viv::tools::excel
