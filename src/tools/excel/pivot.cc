#include "tools/excel/pivot.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/ids.h"
#include "base/text.h"
#include "tools/excel/cell_value.h"
#include "tools/excel/table.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

struct SourceCell {
  std::string text;              // as Python would write it; "None" for a blank cell
  std::optional<double> number;  // what can be summed up
};

struct Source {
  std::vector<std::string> headers;
  std::vector<std::vector<SourceCell>> records;
};

// A formula counts as what it yields.
SourceCell ReadSource(Workbook& workbook, const Sheet& sheet, Address at, bool& filled) {
  SourceCell out;
  const Cell* cell = sheet.Covered(at) ? nullptr : sheet.Find(at);
  if (cell == nullptr || (cell->kind == CellKind::kBlank && cell->formula == 0)) {
    out.text = "None";
    return out;
  }
  filled = true;
  const bool is_date = cell->kind == CellKind::kNumber &&
                       workbook.styles().Meaning(cell->style) != NumberMeaning::kNumber;
  if (cell->kind == CellKind::kNumber && is_date) {
    out.text = workbook.styles().Meaning(cell->style) == NumberMeaning::kDate
                   ? DateText(cell->number, workbook.starts_1904())
                   : DurationText(cell->number);
  } else if (cell->kind == CellKind::kNumber) {
    out.number = cell->number;
    out.text =
        PythonText(cell->formula == 0 ? CellValue(workbook, sheet, at) : json::value(cell->number));
  } else if (cell->kind == CellKind::kBoolean) {
    out.number = cell->number != 0 ? 1 : 0;
    out.text = cell->number != 0 ? "True" : "False";
  } else {
    out.text = sheet.Text(*cell);
  }
  return out;
}

Result<Source> ReadAllRecords(Workbook& workbook, const Sheet& sheet, const Range& asked) {
  Source source;
  const Range used = sheet.Used();
  Range range = asked;
  if (range.first.row > used.last.row || range.first.column > used.last.column) return source;
  range.last.row = std::min(range.last.row, used.last.row);
  RETURN_IF_ERROR(CheckSize(range, "summed up"));
  bool has_header = false;
  for (std::uint32_t row = range.first.row; row <= range.last.row; ++row) {
    std::vector<SourceCell> record;
    bool filled = false;
    for (std::uint32_t column = range.first.column; column <= range.last.column; ++column)
      record.push_back(ReadSource(workbook, sheet, {row, column}, filled));
    if (!filled) continue;
    if (has_header) source.records.push_back(std::move(record));
    if (!has_header)
      for (SourceCell& cell : record) source.headers.push_back(std::move(cell.text));
    has_header = true;
  }
  return source;
}

// "Sales (sum)" names the field Sales.
std::string FieldName(std::string_view field) {
  std::string name(Trim(field));
  for (std::string_view suffix : {" (sum)", " (average)", " (count)", " (min)", " (max)"})
    if (name.size() >= suffix.size() &&
        EqualsIgnoreCase(std::string_view(name).substr(name.size() - suffix.size()), suffix))
      return name.substr(0, name.size() - suffix.size());
  return name;
}

struct Field {
  std::string name;
  std::size_t column = 0;
};

// Of several columns of one name the last counts.
Result<std::vector<Field>> FindFields(const Source& source,
                                      const std::vector<std::string>& names,
                                      std::string_view kind) {
  std::vector<Field> fields;
  for (const std::string& wanted : names) {
    Field field{FieldName(wanted), 0};
    bool exact = false, found = false;
    for (std::size_t i = 0; i < source.headers.size(); ++i) {
      const bool same = source.headers[i] == field.name;
      const bool similar = ToLower(FieldName(source.headers[i])) == ToLower(field.name);
      if (!similar || (exact && !same)) continue;
      field.column = i;
      exact = exact || same;
      found = true;
    }
    if (!found) {
      const std::set<std::string> sorted(source.headers.begin(), source.headers.end());
      std::string known;
      for (const std::string& header : sorted) known += (known.empty() ? "" : ", ") + header;
      return Fail(ErrorCode::kInvalidArgument, "Invalid " + std::string(kind) + " field '" +
                                                   wanted + "'. Available fields: " + known);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

struct Aggregate {
  double count = 0, sum = 0, min = 0, max = 0;

  void Add(double number) {
    min = count == 0 ? number : std::min(min, number);
    max = count == 0 ? number : std::max(max, number);
    sum += number;
    ++count;
  }
  double Result(std::string_view function) const {
    if (function == "count") return count;
    if (function == "min") return min;
    if (function == "max") return max;
    return function == "average" && count > 0 ? sum / count : sum;
  }
};

using Key = std::vector<std::string>;
using Groups = std::map<Key, std::vector<Aggregate>>;

Groups Summarise(const Source& source,
                 const std::vector<Field>& rows,
                 const std::vector<Field>& values) {
  Groups groups;
  for (const std::vector<SourceCell>& record : source.records) {
    Key key;
    for (const Field& field : rows) key.push_back(record[field.column].text);
    std::vector<Aggregate>& group = groups[key];
    group.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const std::optional<double>& number = record[values[i].column].number)
        group[i].Add(*number);
  }
  return groups;
}

// Every combination of the values that the row fields have anywhere, in order.
Result<std::vector<Key>> Combinations(const Source& source, const std::vector<Field>& rows) {
  std::vector<Key> keys(1);
  std::map<std::size_t, std::size_t> seen;  // a field named twice has one value in both places
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto before = seen.find(rows[i].column); before != seen.end()) {
      for (Key& key : keys) key.push_back(key[before->second]);
      continue;
    }
    seen[rows[i].column] = i;
    std::set<std::string> distinct;
    for (const std::vector<SourceCell>& record : source.records)
      distinct.insert(record[rows[i].column].text);
    if (keys.size() * distinct.size() > kPivotRowsMax)
      return Fail(ErrorCode::kLimitExceeded, "The row fields have more than " +
                                                 std::to_string(kPivotRowsMax) +
                                                 " combinations of values. Use fewer row fields, "
                                                 "or ones with fewer different values.");
    std::vector<Key> longer;
    for (const Key& key : keys)
      for (const std::string& value : distinct) {
        longer.push_back(key);
        longer.back().push_back(value);
      }
    keys = std::move(longer);
  }
  return keys;
}

Status WritePivot(Workbook& workbook,
                  Sheet& pivot,
                  const std::vector<Field>& rows,
                  const std::vector<Field>& values,
                  const std::vector<Key>& keys,
                  const Groups& groups,
                  const std::string& function) {
  const std::uint32_t bold = workbook.styles().Bold();
  std::uint32_t column = 1;
  auto header = [&](const std::string& text) {
    pivot.SetText({1, column}, text);
    pivot.At({1, column++}).style = bold;
  };
  for (const Field& field : rows) header(field.name);
  for (const Field& field : values) header(field.name + " (" + function + ")");
  const std::string chosen = ToLower(function);
  std::uint32_t row = 2;
  for (const Key& key : keys) {
    column = 1;
    for (const std::string& text : key)
      RETURN_IF_ERROR(WriteValue(pivot, {row, column++}, json::value(text)));
    const auto group = groups.find(key);
    for (std::size_t i = 0; i < values.size(); ++i)
      pivot.SetNumber({row, column++}, group == groups.end() ? 0 : group->second[i].Result(chosen));
    ++row;
  }
  return {};
}

Result<Range> ParseSource(const std::string& text) {
  const std::vector<std::string_view> corners = Split(text, ':');
  if (corners.size() < 2)
    return Fail(ErrorCode::kInvalidArgument, "Data range must be in format 'A1:B2'");
  if (corners.size() > 2)
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid data range format: too many values to unpack (expected 2)");
  ASSIGN_OR_RETURN(const Corner first, ParseCorner(corners[0]), "Invalid data range format");
  ASSIGN_OR_RETURN(const Corner last, ParseCorner(corners[1]), "Invalid data range format");
  Range range;
  ASSIGN_OR_RETURN(range.first, CheckInSheet(first), "Failed to read or process source data");
  ASSIGN_OR_RETURN(range.last, CheckInSheet(last), "Failed to read or process source data");
  return range;
}

Status CheckFunction(const std::string& function) {
  for (std::string_view known : {"sum", "average", "count", "min", "max"})
    if (EqualsIgnoreCase(function, known)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "Invalid aggregation function. Must be one of: sum, average, count, min, max");
}

Result<std::string> CreatePivot(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  PivotRequest request{.data_range = arguments.Text("data_range"),
                       .rows = arguments.Texts("rows"),
                       .values = arguments.Texts("values"),
                       .columns = arguments.Texts("columns"),
                       .function = arguments.Text("agg_func", "mean")};
  RETURN_IF_ERROR(AddPivot(*workbook, *sheet, request));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook), "Failed to save workbook");
  return std::string("Summary table created successfully");
}

}  // namespace

Status AddPivot(Workbook& workbook, Sheet& sheet, const PivotRequest& request) {
  ASSIGN_OR_RETURN(Range range, ParseSource(request.data_range));
  workbook.Recalculate();
  ASSIGN_OR_RETURN(const Source source, ReadAllRecords(workbook, sheet, range),
                   "Failed to read or process source data");
  if (source.records.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "Failed to read or process source data: Source data must have a header row and at "
                "least one data row.");
  RETURN_IF_ERROR(CheckFunction(request.function));
  ASSIGN_OR_RETURN(const std::vector<Field> rows, FindFields(source, request.rows, "row"));
  ASSIGN_OR_RETURN(const std::vector<Field> values, FindFields(source, request.values, "value"));
  RETURN_IF_ERROR(FindFields(source, request.columns, "column"));
  if (rows.empty() && values.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "Failed to create pivot table formatting: Invalid column index 0");
  if (rows.size() + values.size() > kColumnsMax)
    return Fail(ErrorCode::kLimitExceeded, "The table would have more columns than a sheet");
  ASSIGN_OR_RETURN(const std::vector<Key> keys, Combinations(source, rows));
  const Groups groups = Summarise(source, rows, values);
  const std::string name = sheet.name() + "_pivot";
  if (workbook.Find(name) != nullptr) RETURN_IF_ERROR(workbook.RemoveSheet(name));
  ASSIGN_OR_RETURN(Sheet * pivot, workbook.AddSheet(name));
  RETURN_IF_ERROR(WritePivot(workbook, *pivot, rows, values, keys, groups, request.function));
  const Address last{static_cast<std::uint32_t>(keys.size()) + 1,
                     static_cast<std::uint32_t>(rows.size() + values.size())};
  const TableRequest table{.name = "PivotTable_" + RandomHex(8),
                           .range = ToText(Range{{1, 1}, last}),
                           .row_stripes = true,
                           .column_stripes = true};
  RETURN_IF_ERROR(AddTable(workbook, *pivot, table), "Failed to create pivot table formatting");
  return {};
}

void BindPivots(ToolServer& server, const Workspace& workspace) {
  Bind(server, "create_pivot_table",
       [workspace](const Arguments& a) { return CreatePivot(workspace, a); });
}

}  // namespace viv::tools::excel
