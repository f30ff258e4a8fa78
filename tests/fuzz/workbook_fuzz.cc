// Workbooks: bytes that begin like a zip are read as a file, all others as the XML of a sheet in a
// workbook (a fuzzer does not get past the checksums of a zip). What can be read can be written,
// and what was written can be read.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tools/excel/blank_workbook.h"
#include "tools/excel/cell_value.h"
#include "tools/excel/shift.h"
#include "tools/excel/validation.h"

using viv::tools::excel::Workbook;

namespace {

viv::Result<std::unique_ptr<Workbook>> ReadAny(std::string_view bytes) {
  if (bytes.starts_with("PK")) return Workbook::Read(bytes);
  auto blank = Workbook::Create("Sheet1");
  if (!blank) std::abort();
  (*blank)->package().Put("xl/worksheets/sheet1.xml", std::string(bytes),
                          viv::tools::excel::kSheetType);
  const auto whole = (*blank)->package().Write();
  if (!whole) std::abort();
  return Workbook::Read(*whole);
}

}  // namespace

FUZZ_TARGET(workbook)(const std::uint8_t* data, std::size_t size) {
  if (size > 64 << 10) return 0;
  auto workbook = ReadAny({reinterpret_cast<const char*>(data), size});
  if (!workbook) return 0;
  for (const auto& sheet : (*workbook)->sheets()) {
    if (!sheet->is_worksheet()) continue;
    for (const auto& [number, row] : sheet->rows())
      for (const auto& [column, cell] : row.cells)
        viv::tools::excel::CellValue(**workbook, *sheet, {number, column});
    viv::tools::excel::ReadValidations(**workbook, *sheet);
    (void)viv::tools::excel::ShiftCells(**workbook, *sheet, {.at = 2, .count = 1});
  }
  const auto written = (*workbook)->Write();
  if (!written) return 0;
  if (!Workbook::Read(*written)) std::abort();
  return 0;
}
