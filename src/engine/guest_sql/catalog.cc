#include "engine/guest_sql/catalog.h"

#include <fmt/format.h>

#include <climits>
#include <utility>

namespace viv::engine::guest_sql {
namespace {

constexpr std::string_view kSchema = R"sql(
CREATE TABLE guest_database (
  name TEXT PRIMARY KEY, comment TEXT, owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN',
  created_ms INTEGER NOT NULL);
CREATE TABLE guest_schema (
  database TEXT NOT NULL, name TEXT NOT NULL, comment TEXT,
  owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL,
  PRIMARY KEY (database, name));
CREATE TABLE guest_table (
  database TEXT NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('TABLE', 'VIEW')), flavour TEXT NOT NULL DEFAULT '',
  physical TEXT NOT NULL DEFAULT '', definition TEXT NOT NULL DEFAULT '', comment TEXT,
  owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL,
  PRIMARY KEY (database, schema, name));
CREATE TABLE guest_column (
  database TEXT NOT NULL, schema TEXT NOT NULL, table_name TEXT NOT NULL,
  position INTEGER NOT NULL, name TEXT NOT NULL, data_type TEXT NOT NULL,
  nullable INTEGER NOT NULL DEFAULT 1, primary_key INTEGER NOT NULL DEFAULT 0, default_value TEXT,
  comment TEXT, identity_next INTEGER, identity_step INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (database, schema, table_name, position));
CREATE TABLE guest_warehouse (
  name TEXT PRIMARY KEY, size TEXT NOT NULL DEFAULT 'X-Small',
  state TEXT NOT NULL DEFAULT 'STARTED', comment TEXT,
  owner TEXT NOT NULL DEFAULT 'ACCOUNTADMIN', created_ms INTEGER NOT NULL);
)sql";

void BindOne(db::Statement& statement, int index, const std::string& value) {
  statement.Bind(index, std::string_view(value));
}
void BindOne(db::Statement& statement, int index, std::int64_t value) {
  statement.Bind(index, value);
}
template <typename T>
void BindOne(db::Statement& statement, int index, const std::optional<T>& value) {
  value ? BindOne(statement, index, *value) : statement.BindNull(index);
}

std::optional<std::string> OptionalText(const db::Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return std::string(row.Text(column));
}

Relation ReadRelation(const db::Statement& row) {
  Relation out;
  out.name = {std::string(row.Text(0)), std::string(row.Text(1)), std::string(row.Text(2))};
  out.is_view = row.Text(3) == "VIEW";
  out.flavour = row.Text(4);
  out.physical = row.Text(5);
  out.definition = row.Text(6);
  out.comment = OptionalText(row, 7);
  out.owner = row.Text(8);
  out.created_ms = row.Integer(9);
  return out;
}

constexpr std::string_view kSelectRelations =
    "SELECT database, schema, name, kind, flavour, physical, definition, comment, owner, "
    "created_ms FROM "
    "main.guest_table WHERE (?1 = '' OR database = ?1) AND (?2 = '' OR schema = ?2)";

}  // namespace

std::string_view CatalogSchema() {
  return kSchema;
}

Result<db::Statement> Catalog::Prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  int code =
      sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return db::SqliteError(handle_, "guest catalogue");
  return db::Statement(statement);
}

template <typename... Values>
Result<db::Statement> Catalog::Query(std::string_view sql, const Values&... values) const {
  ASSIGN_OR_RETURN(db::Statement statement, Prepare(sql));
  int index = 0;
  (BindOne(statement, ++index, values), ...);
  return statement;
}

template <typename... Values>
Status Catalog::Change(std::string_view sql, const Values&... values) const {
  ASSIGN_OR_RETURN(db::Statement statement, Query(sql, values...));
  RETURN_IF_ERROR(statement.Step());
  return {};
}

Status Catalog::Execute(const std::string& sql) const {
  return Change(sql);
}

Result<std::int64_t> Catalog::NowMs() const {
  ASSIGN_OR_RETURN(db::Statement row, Query("SELECT now_ms()"));
  RETURN_IF_ERROR(row.Step());
  return row.Integer(0);
}

Result<bool> Catalog::HasDatabase(const std::string& name) const {
  ASSIGN_OR_RETURN(db::Statement row,
                   Query("SELECT 1 FROM main.guest_database WHERE name = ?1", name));
  return row.Step();
}

Result<bool> Catalog::HasSchema(const std::string& database, const std::string& name) const {
  if (name == kInformationSchema) return HasDatabase(database);
  ASSIGN_OR_RETURN(
      db::Statement row,
      Query("SELECT 1 FROM main.guest_schema WHERE database = ?1 AND name = ?2", database, name));
  return row.Step();
}

Result<std::optional<Relation>> Catalog::Find(const ObjectName& name) const {
  ASSIGN_OR_RETURN(db::Statement row, Query(std::string(kSelectRelations) + " AND name = ?3",
                                            name.database, name.schema, name.name));
  ASSIGN_OR_RETURN(bool found, row.Step());
  if (!found) return std::optional<Relation>();
  return std::optional<Relation>(ReadRelation(row));
}

Result<std::vector<Column>> Catalog::Columns(const ObjectName& name) const {
  ASSIGN_OR_RETURN(
      db::Statement row,
      Query("SELECT name, data_type, nullable, primary_key, default_value, comment, identity_next, "
            "identity_step FROM main.guest_column WHERE database = ?1 AND schema = ?2 AND "
            "table_name = ?3 "
            "ORDER BY position",
            name.database, name.schema, name.name));
  std::vector<Column> columns;
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return columns;
    Column column;
    column.name = row.Text(0);
    column.data_type = row.Text(1);
    column.nullable = row.Integer(2) != 0;
    column.primary_key = row.Integer(3) != 0;
    column.default_value = OptionalText(row, 4);
    column.comment = OptionalText(row, 5);
    if (!row.IsNull(6)) column.identity_next = row.Integer(6);
    column.identity_step = row.Integer(7);
    columns.push_back(std::move(column));
  }
}

Result<std::int64_t> Catalog::RowCount(const Relation& table) const {
  ASSIGN_OR_RETURN(db::Statement row,
                   Query("SELECT count(*) FROM main." + SqlName(table.physical)));
  RETURN_IF_ERROR(row.Step());
  return row.Integer(0);
}

Result<std::vector<Container>> Catalog::Databases() const {
  ASSIGN_OR_RETURN(
      db::Statement row,
      Query("SELECT name, comment, owner, created_ms FROM main.guest_database ORDER BY name"));
  std::vector<Container> out;
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return out;
    out.push_back({"", std::string(row.Text(0)), OptionalText(row, 1), std::string(row.Text(2)),
                   row.Integer(3)});
  }
}

Result<std::vector<Container>> Catalog::Schemas(const std::string& database) const {
  // Every database has an INFORMATION_SCHEMA, which is stored nowhere.
  ASSIGN_OR_RETURN(
      db::Statement row,
      Query("SELECT database, name, comment, owner, created_ms FROM main.guest_schema WHERE ?1 = "
            "'' OR database = ?1 "
            "UNION ALL SELECT name, 'INFORMATION_SCHEMA', 'Views describing the contents of "
            "schemas in this database', "
            "'', created_ms FROM main.guest_database WHERE ?1 = '' OR name = ?1 ORDER BY 1, 2",
            database));
  std::vector<Container> out;
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return out;
    out.push_back({std::string(row.Text(0)), std::string(row.Text(1)), OptionalText(row, 2),
                   std::string(row.Text(3)), row.Integer(4)});
  }
}

Result<std::vector<Relation>> Catalog::Relations(const std::string& database,
                                                 const std::string& schema) const {
  ASSIGN_OR_RETURN(
      db::Statement row,
      Query(std::string(kSelectRelations) + " ORDER BY database, schema, name", database, schema));
  std::vector<Relation> out;
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return out;
    out.push_back(ReadRelation(row));
  }
}

Status Catalog::AddDatabase(const Container& database) {
  return Change(
      "INSERT INTO main.guest_database (name, comment, owner, created_ms) VALUES (?1, ?2, ?3, ?4)",
      database.name, database.comment, database.owner, database.created_ms);
}

Status Catalog::AddSchema(const Container& schema) {
  return Change(
      "INSERT INTO main.guest_schema (database, name, comment, owner, created_ms) VALUES (?1, ?2, "
      "?3, ?4, ?5)",
      schema.database, schema.name, schema.comment, schema.owner, schema.created_ms);
}

Status Catalog::AddRelation(const Relation& relation, const std::vector<Column>& columns) {
  RETURN_IF_ERROR(Change(
      "INSERT INTO main.guest_table (database, schema, name, kind, flavour, physical, definition, "
      "comment, owner, created_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      relation.name.database, relation.name.schema, relation.name.name,
      std::string(relation.is_view ? "VIEW" : "TABLE"), relation.flavour, relation.physical,
      relation.definition, relation.comment, relation.owner, relation.created_ms));
  return ReplaceColumns(relation.name, columns);
}

Status Catalog::ReplaceColumns(const ObjectName& name, const std::vector<Column>& columns) {
  RETURN_IF_ERROR(Change(
      "DELETE FROM main.guest_column WHERE database = ?1 AND schema = ?2 AND table_name = ?3",
      name.database, name.schema, name.name));
  std::int64_t position = 0;
  for (const Column& column : columns) {
    RETURN_IF_ERROR(Change(
        "INSERT INTO main.guest_column (database, schema, table_name, position, name, data_type, "
        "nullable, primary_key, default_value, comment, identity_next, identity_step) VALUES (?1, "
        "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        name.database, name.schema, name.name, ++position, column.name, column.data_type,
        std::int64_t{column.nullable}, std::int64_t{column.primary_key}, column.default_value,
        column.comment, column.identity_next, column.identity_step));
  }
  return {};
}

Status Catalog::SetIdentity(const ObjectName& name, const std::string& column, std::int64_t next) {
  return Change(
      "UPDATE main.guest_column SET identity_next = ?5 WHERE database = ?1 AND schema = ?2 AND "
      "table_name = "
      "?3 AND name = ?4",
      name.database, name.schema, name.name, column, next);
}

Status Catalog::Rename(const ObjectName& from, const ObjectName& to, const std::string& physical) {
  RETURN_IF_ERROR(Change(
      "UPDATE main.guest_table SET database = ?4, schema = ?5, name = ?6, physical = ?7 WHERE "
      "database = ?1 AND schema = ?2 AND name = ?3",
      from.database, from.schema, from.name, to.database, to.schema, to.name, physical));
  return Change(
      "UPDATE main.guest_column SET database = ?4, schema = ?5, table_name = ?6 WHERE database = "
      "?1 AND "
      "schema = ?2 AND table_name = ?3",
      from.database, from.schema, from.name, to.database, to.schema, to.name);
}

Status Catalog::SetComment(const ObjectName& name, const std::string& comment) {
  return Change(
      "UPDATE main.guest_table SET comment = ?4 WHERE database = ?1 AND schema = ?2 AND name = ?3",
      name.database, name.schema, name.name, comment);
}

Status Catalog::DropRelation(const Relation& relation) {
  if (!relation.is_view) {
    RETURN_IF_ERROR(Execute("DROP TABLE IF EXISTS main." + SqlName(relation.physical)));
  }
  RETURN_IF_ERROR(ReplaceColumns(relation.name, {}));
  return Change("DELETE FROM main.guest_table WHERE database = ?1 AND schema = ?2 AND name = ?3",
                relation.name.database, relation.name.schema, relation.name.name);
}

Status Catalog::DropSchema(const std::string& database, const std::string& name) {
  ASSIGN_OR_RETURN(auto relations, Relations(database, name));
  for (const Relation& relation : relations) RETURN_IF_ERROR(DropRelation(relation));
  return Change("DELETE FROM main.guest_schema WHERE database = ?1 AND name = ?2", database, name);
}

Status Catalog::DropDatabase(const std::string& name) {
  ASSIGN_OR_RETURN(auto schemas, Schemas(name));
  for (const Container& schema : schemas) RETURN_IF_ERROR(DropSchema(name, schema.name));
  return Change("DELETE FROM main.guest_database WHERE name = ?1", name);
}

}  // namespace viv::engine::guest_sql
