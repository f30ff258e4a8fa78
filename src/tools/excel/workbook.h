#pragma once
// A workbook in memory: its sheets, strings and styles over the package they came in. Charts and
// tables are added as parts of the package() and related to the sheet's part().
//
// Errors of this module are worded for the agent that called a tool; nothing is put before them.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/excel/sheet.h"
#include "tools/excel/strings.h"
#include "tools/excel/styles.h"
#include "tools/kit/workspace.h"
#include "tools/ooxml/package.h"

namespace viv::tools::excel {

class Workbook {
 public:
  static Result<std::unique_ptr<Workbook>> Create(std::string_view first_sheet);
  static Result<std::unique_ptr<Workbook>> Read(std::string_view bytes);
  // All formulas are computed first; their results are stored beside them.
  Result<std::string> Write();

  const std::vector<std::unique_ptr<Sheet>>& sheets() const { return sheets_; }
  Sheet* Find(std::string_view name);  // exactly that name; nullptr: none
  std::vector<std::string> SheetNames() const;
  // A name that is taken but for its case gets a number, as openpyxl does it.
  Result<Sheet*> AddSheet(std::string_view name);
  Status RemoveSheet(std::string_view name);
  Status RenameSheet(std::string_view name, std::string_view to);  // references to it follow
  Result<Sheet*> CopySheet(const Sheet& source, std::string_view name);

  Sheet* Active();  // the one that shows when the workbook is opened; nullptr: none

  // The <definedName> elements: name to text ("Sheet1!$A$1:$A$5"), those of the whole workbook.
  std::vector<std::pair<std::string, std::string>> DefinedNames() const;

  Strings& strings() { return *strings_; }
  Styles& styles() { return *styles_; }
  ooxml::Package& package() { return package_; }
  pugi::xml_node root() { return root_; }  // <workbook>
  bool starts_1904() const { return starts_1904_; }

  void Recalculate();

 private:
  Workbook() : strings_(std::make_unique<Strings>()) {}
  Status ReadParts();
  Status ReadStyles();
  Status ReadSheets(const std::vector<std::uint32_t>& shared);
  Result<std::vector<std::uint32_t>> ReadSharedStrings();
  void WriteSharedStrings(std::string xml);
  void AskForCalculation();
  std::string RelatedPart(std::string_view kind);  // of the workbook's part; empty: none
  pugi::xml_node SheetElement(std::string_view name);
  Result<std::string> FreshTitle(std::string_view name) const;
  Sheet* AppendSheet(std::string name, std::string xml);

  ooxml::Package package_;
  std::string part_;  // "xl/workbook.xml"
  pugi::xml_node root_;
  std::unique_ptr<Strings> strings_;
  std::unique_ptr<Styles> styles_;
  std::vector<std::unique_ptr<Sheet>> sheets_;
  bool starts_1904_ = false;
};

// Every formula text of the workbook (cells, defined names, validations, conditional formats) put
// through `change`, which gets the text and the name of the sheet it stands on ("" for none).
void RewriteFormulas(
    Workbook& workbook,
    const std::function<std::string(const std::string&, const std::string&)>& change);

// As openpyxl opens and saves a file: the same words for a file that is missing, of a wrong kind or
// broken. `path` is the agent's; relative ones are in the workspace.
Result<std::unique_ptr<Workbook>> OpenWorkbook(const Workspace& workspace, std::string_view path);
// The path as answers show it: the agent's own, made absolute.
std::string ShownPath(const Workspace& workspace, std::string_view path);
Status SaveWorkbook(const Workspace& workspace, std::string_view path, Workbook& workbook);

}  // namespace viv::tools::excel
