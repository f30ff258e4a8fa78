#include "engine/guest_sql/rows_function.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "db/sqlite.h"
#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/execute.h"

namespace viv::engine::guest_sql {
namespace {

// By the name of its storage; the catalogue's other questions are by the guest's names.
Result<ObjectName> NameOfTable(const Catalog& catalog, std::string_view physical) {
  ASSIGN_OR_RETURN(db::Statement row,
                   catalog.Prepare("SELECT database, schema, name FROM main.guest_table WHERE "
                                   "physical = ?1 AND kind = 'TABLE'"));
  row.Bind(1, physical);
  ASSIGN_OR_RETURN(bool found, row.Step());
  if (!found)
    return Fail(ErrorCode::kNotFound, fmt::format("there is no guest table '{}'", physical));
  return ObjectName{std::string(row.Text(0)), std::string(row.Text(1)), std::string(row.Text(2))};
}

Result<json::array> ReadRows(const Catalog& catalog, std::string_view physical) {
  ASSIGN_OR_RETURN(ObjectName name, NameOfTable(catalog, physical));
  ASSIGN_OR_RETURN(std::vector<Column> columns, catalog.Columns(name));
  std::vector<Type> types;
  std::string list;
  for (const Column& column : columns) {
    types.push_back(column.type());
    list += (list.empty() ? "" : ", ") + SqlName(column.name);
  }
  ASSIGN_OR_RETURN(db::Statement row,
                   catalog.Prepare(fmt::format("SELECT {} FROM main.{} ORDER BY {}", list,
                                               SqlName(physical), kRowColumn)));
  json::array rows;
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return rows;
    json::object object(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      object.emplace(columns[i].name, ReadCell(row.get(), static_cast<int>(i), types[i]));
    }
    rows.push_back(std::move(object));
  }
}

void RowsFunction(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  std::string physical(text, static_cast<std::size_t>(sqlite3_value_bytes(arguments[0])));
  auto rows = ReadRows(Catalog(sqlite3_context_db_handle(context)), physical);
  std::string out = rows ? json::serialize(*rows) : "guest_rows: " + rows.error().message;
  if (!rows) return sqlite3_result_error(context, out.data(), static_cast<int>(out.size()));
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

Status RegisterRowsFunction(sqlite3* handle) {
  int done = sqlite3_create_function_v2(handle, "guest_rows", 1, SQLITE_UTF8, nullptr, RowsFunction,
                                        nullptr, nullptr, nullptr);
  if (done != SQLITE_OK) return db::SqliteError(handle, "guest_rows");
  return {};
}

}  // namespace viv::engine::guest_sql
