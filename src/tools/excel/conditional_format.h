#pragma once
// Conditional formats: rules by which cells show their values.

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "tools/excel/workbook.h"

namespace viv::tools::excel {

// `format` is {type, params}: color_scale, data_bar, icon_set, formula or cell_is, with the
// parameters that openpyxl's rules of that kind take.
Status AddConditionalFormat(Workbook& workbook,
                            Sheet& sheet,
                            std::string_view range,
                            const json::object& format);

// "FFAABBCC" of a colour as agents write it ("AABBCC" or eight digits). "Colors must be aRGB hex
// values" for anything else.
Result<std::string> ParseColor(std::string_view text);

}  // namespace viv::tools::excel
