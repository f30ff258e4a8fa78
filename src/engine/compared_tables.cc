#include "engine/compared_tables.h"

namespace viv::engine {
namespace {

// One of SQLite's three names for the row id that no column has taken.
std::string RowIdName(const std::vector<std::string>& columns) {
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    bool taken = false;
    for (const std::string& column : columns)
      taken = taken || sqlite3_stricmp(column.c_str(), name) == 0;
    if (!taken) return name;
  }
  return {};
}

Status ReadColumns(db::Connection& connection, const std::string& database, ComparedTable& table) {
  ASSIGN_OR_RETURN(
      db::Statement statement,
      connection.Prepare("SELECT name, pk FROM pragma_table_info(?1, ?2) ORDER BY cid"));
  statement.Bind(1, table.name);
  statement.Bind(2, database);
  std::map<std::int64_t, std::string> key;  // by position in the key
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) break;
    table.columns.emplace_back(statement.Text(0));
    if (statement.Integer(1) > 0) key.emplace(statement.Integer(1), statement.Text(0));
  }
  for (const auto& [position, name] : key) table.key.push_back(name);
  return {};
}

}  // namespace

std::string QuoteName(const std::string& name) {
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Result<ComparedTables> ReadComparedTables(db::Connection& connection, const std::string& database) {
  ASSIGN_OR_RETURN(db::Statement statement,
                   connection.Prepare(
                       "SELECT l.name, l.wr, s.rootpage, s.sql FROM pragma_table_list l JOIN " +
                       QuoteName(database) +
                       ".sqlite_schema s ON s.type = 'table' AND s.name = l.name "
                       "WHERE l.schema = ?1 AND l.type = 'table' AND l.name NOT LIKE 'sqlite\\_%' "
                       "ESCAPE '\\' AND l.name NOT LIKE '\\_%' ESCAPE '\\'"));
  statement.Bind(1, database);
  ComparedTables tables;
  for (;;) {
    ASSIGN_OR_RETURN(bool row, statement.Step());
    if (!row) break;
    ComparedTable table;
    table.name = statement.Text(0);
    table.tree.root = static_cast<std::uint32_t>(statement.Integer(2));
    table.sql = statement.Text(3);
    bool without_row_id = statement.Integer(1) != 0;
    RETURN_IF_ERROR(ReadColumns(connection, database, table));
    if (without_row_id) {
      table.tree.key_columns = table.key.size();
      table.locator = table.key;
    } else if (std::string row_id = RowIdName(table.columns); !row_id.empty()) {
      table.locator = {row_id};
    }
    if (table.key.empty()) table.key = table.locator.empty() ? table.columns : table.locator;
    std::string name = table.name;
    tables.emplace(std::move(name), std::move(table));
  }
  return tables;
}

}  // namespace viv::engine
