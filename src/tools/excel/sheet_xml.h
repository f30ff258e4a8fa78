#pragma once
// Cells from the XML of a sheet and back.

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/excel/sheet.h"

namespace viv::tools::excel {

// Takes the cells and the merged ranges out of `root`, the <worksheet> element, which stays the
// sheet's own for all else. `shared` maps numbers of the file's shared strings to the table's.
Status ReadSheet(Sheet& sheet,
                 pugi::xml_node root,
                 const std::vector<std::uint32_t>& shared,
                 std::uint32_t styles);

// The plain text of <si> or <is>, and whether that is all there is to it.
struct StringItem {
  std::string plain;
  bool is_plain = true;
};
StringItem ReadStringItem(pugi::xml_node item);
std::string InnerXml(pugi::xml_node node);

// Numbers the strings of all sheets in the order of their first use, for the part of shared
// strings.
class SharedStrings {
 public:
  explicit SharedStrings(const Strings& strings) : strings_(strings) {}
  std::uint32_t Number(std::uint32_t index);
  std::string Part() const;  // the whole XML; the strings in the order of their numbers
  std::size_t count() const { return used_.size(); }

 private:
  const Strings& strings_;
  std::vector<std::uint32_t> used_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::size_t references_ = 0;
};

// What stands inside <sheetData>. Cells without value and style are left out.
std::string WriteCells(const Sheet& sheet, SharedStrings& shared);
// Puts merged ranges and the dimension back into the sheet's XML.
void WriteSheetElements(Sheet& sheet);
// The shortest text that reads back as the same number.
std::string WriteNumber(double number);

}  // namespace viv::tools::excel
