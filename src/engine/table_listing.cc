#include "engine/table_listing.h"

#include "engine/session.h"

namespace viv::engine {

Result<std::vector<ListedTable>> ListTables(const App& app) {
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::OpenFile(app, ":memory:"));
  ASSIGN_OR_RETURN(
      db::Statement statement,
      session->connection().Prepare(
          "SELECT t.name, c.name, c.type, c.\"notnull\", c.pk FROM pragma_table_list t, "
          "pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.type = 'table' AND "
          "substr(t.name, 1, 1) <> '_' AND substr(t.name, 1, 7) <> 'sqlite_' ORDER BY t.name, "
          "c.cid"));
  std::vector<ListedTable> tables;
  for (;;) {
    ASSIGN_OR_RETURN(bool more, statement.Step());
    if (!more) return tables;
    std::string name(statement.Text(0));
    if (tables.empty() || tables.back().name != name) tables.push_back({std::move(name), {}});
    ListedColumn column{std::string(statement.Text(1)), std::string(statement.Text(2))};
    column.required = statement.Integer(3) != 0;
    column.is_key = statement.Integer(4) != 0;
    tables.back().columns.push_back(std::move(column));
  }
}

}  // namespace viv::engine
