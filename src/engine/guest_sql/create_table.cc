// CREATE TABLE in its four forms: with columns, AS a query, LIKE and CLONE of another table.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {
namespace {

// Where a new table is filled before it takes the place of the one it may be reading.
constexpr std::string_view kUnderConstruction = "g$new";

std::string PhysicalColumns(const std::vector<Column>& columns) {
  std::string sql = fmt::format("{} INTEGER PRIMARY KEY", kRowColumn);
  for (const Column& column : columns) {
    sql += fmt::format(", {} {}", SqlName(column.name), StorageOf(column.type()));
  }
  return sql;
}

std::vector<std::size_t> AllOf(const std::vector<Column>& columns) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.size(); ++i) out.push_back(i);
  return out;
}

}  // namespace

Status Statement::CheckColumns(const std::vector<Column>& columns) const {
  if (columns.empty()) return CompilationError("002029 (42601)", "Missing column specification");
  if (columns.size() > kColumnsMax) return TooComplex();
  // SQLite compares names without regard to case, and one of them is ours.
  std::set<std::string> seen = {FoldName("g$row")};
  for (const Column& column : columns) {
    if (column.name.size() > 255 || !seen.insert(FoldName(column.name)).second) {
      return CompilationError("002025 (42S21)",
                              fmt::format("duplicate column name '{}'", column.name));
    }
  }
  return {};
}

Result<Outcome> Statement::CreateTable(const CreateOptions& options) {
  NewTable table;
  table.options = options;
  ASSIGN_OR_RETURN(table.options.if_not_exists, ReadIfNotExists());
  ASSIGN_OR_RETURN(table.relation.name, ReadNewName("CREATE TABLE"));
  table.relation.flavour = options.flavour;
  if (cursor_.AcceptWord("LIKE")) return CreateTableLike(std::move(table), false);
  if (cursor_.AcceptWord("CLONE")) return CreateTableLike(std::move(table), true);
  if (cursor_.IsSymbol("(")) RETURN_IF_ERROR(ReadColumnDefinitions(table));
  ASSIGN_OR_RETURN(table.relation.comment, ReadOptions());
  if (cursor_.AcceptWord("AS")) return CreateTableAs(std::move(table));
  if (!table.typed || table.columns.empty()) return cursor_.Unexpected();
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  return AddTable(std::move(table), nullptr);
}

Result<Outcome> Statement::CreateTableLike(NewTable table, bool with_rows) {
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  ASSIGN_OR_RETURN(table.relation.comment, ReadOptions());
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  ASSIGN_OR_RETURN(Relation source, translator_.FindRelation(name));
  if (source.is_view)
    return CompilationError("002098 (42601)", fmt::format("{} is not a table.", DisplayName(name)));
  ASSIGN_OR_RETURN(table.columns, catalog_.Columns(source.name));
  if (!with_rows) return AddTable(std::move(table), nullptr);
  Query rows;
  std::string list;
  for (const Column& column : table.columns) {
    list += (list.empty() ? "" : ", ") + SqlName(column.name);
    rows.columns.push_back({column.name, column.type()});
  }
  rows.sql =
      fmt::format("SELECT {} FROM main.{} ORDER BY {}", list, SqlName(source.physical), kRowColumn);
  context_.tables.insert(source.physical);
  return AddTable(std::move(table), &rows);
}

Result<Outcome> Statement::CreateTableAs(NewTable table) {
  ASSIGN_OR_RETURN(Query query, translator_.ReadQuery(nullptr));
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  const bool named = !table.columns.empty();
  if (named && table.columns.size() != query.columns.size()) {
    return CompilationError(
        "002026 (42601)",
        fmt::format("Invalid column definition list: expected {} columns, got {}.",
                    query.columns.size(), table.columns.size()));
  }
  table.columns.resize(query.columns.size());
  for (std::size_t i = 0; i < query.columns.size(); ++i) {
    if (!named) table.columns[i].name = query.columns[i].name;
    if (!named || !table.typed) table.columns[i].data_type = NameOfType(query.columns[i].type);
  }
  return AddTable(std::move(table), &query);
}

Result<Outcome> Statement::AddTable(NewTable table, const Query* rows) {
  RETURN_IF_ERROR(CheckColumns(table.columns));
  const std::string shown = DisplayName(table.relation.name.name);
  ASSIGN_OR_RETURN(auto old, catalog_.Find(table.relation.name));
  if (old && table.options.if_not_exists) {
    return Message("CREATE_TABLE", fmt::format("{} already exists, statement succeeded.", shown));
  }
  if (old && (!table.options.replace || old->is_view))
    return ObjectExists(DisplayName(table.relation.name));
  const std::string physical = PhysicalName(table.relation.name);
  table.relation.physical = kUnderConstruction;
  RETURN_IF_ERROR(catalog_.Execute(fmt::format(
      "CREATE TABLE main.{} ({})", SqlName(kUnderConstruction), PhysicalColumns(table.columns))));
  if (rows != nullptr) {
    ASSIGN_OR_RETURN(std::string sql, translator_.InsertFrom(table.relation, table.columns,
                                                             AllOf(table.columns), *rows));
    RETURN_IF_ERROR(ExecuteWrite(context_, sql, budget_));
  }
  if (old) RETURN_IF_ERROR(catalog_.DropRelation(*old));
  RETURN_IF_ERROR(catalog_.Execute(fmt::format("ALTER TABLE main.{} RENAME TO {}",
                                               SqlName(kUnderConstruction), SqlName(physical))));
  table.relation.physical = physical;
  table.relation.owner = "ACCOUNTADMIN";
  ASSIGN_OR_RETURN(table.relation.created_ms, catalog_.NowMs());
  RETURN_IF_ERROR(catalog_.AddRelation(table.relation, table.columns));
  return Message("CREATE_TABLE", fmt::format("Table {} successfully created.", shown));
}

}  // namespace viv::engine::guest_sql
