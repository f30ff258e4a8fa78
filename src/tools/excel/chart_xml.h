#pragma once
// A chart as the XML of its part: series that refer to cells, with the values they had when the
// chart was made, so that a viewer which computes nothing still shows it.

#include <optional>
#include <string>
#include <vector>

#include "tools/excel/workbook.h"

namespace viv::tools::excel {

enum class ChartKind { kLine, kBar, kPie, kScatter, kArea };

constexpr std::uint64_t kChartPointsStored = 32'000;  // larger charts come without stored values
constexpr std::uint32_t kChartSeriesMax = 255;

struct ChartRequest {
  ChartKind kind = ChartKind::kBar;
  std::string title, x_axis, y_axis;  // empty: none
  // The first row has the names of the series, the first column the categories; a range of one
  // column is one series without categories.
  Range data;
};

// `sheet` is where the data is.
std::string ChartXml(Workbook& workbook, const Sheet& sheet, const ChartRequest& request);

}  // namespace viv::tools::excel
