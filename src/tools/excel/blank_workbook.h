#pragma once
// What a new workbook begins with.

#include <string>
#include <string_view>

#include "tools/ooxml/package.h"

namespace viv::tools::excel {

constexpr std::string_view kStylesType =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml";
constexpr std::string_view kSheetType =
    "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";

ooxml::Package BlankPackage();  // a workbook without sheets
std::string BlankStyles();
std::string BlankSheet();

}  // namespace viv::tools::excel
