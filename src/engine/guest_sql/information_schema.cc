#include "engine/guest_sql/information_schema.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "engine/guest_sql/moment.h"

namespace viv::engine::guest_sql {
namespace {

json::value OrNull(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

struct Table {
  std::vector<OutputColumn> columns;
  json::array rows;
};

Type TextType() {
  return Of(Kind::kText);
}

Result<Table> ReadDatabases(const Catalog& catalog) {
  Table table;
  table.columns = {{"DATABASE_NAME", TextType()},
                   {"DATABASE_OWNER", TextType()},
                   {"IS_TRANSIENT", TextType()},
                   {"COMMENT", TextType()},
                   {"CREATED", Of(Kind::kTimestamp)},
                   {"RETENTION_TIME", Number(0)},
                   {"TYPE", TextType()}};
  ASSIGN_OR_RETURN(auto databases, catalog.Databases());
  for (const Container& database : databases) {
    table.rows.push_back(json::array{database.name, database.owner, "NO", OrNull(database.comment),
                                     TimestampText(database.created_ms), 1, "STANDARD"});
  }
  return table;
}

Result<Table> ReadSchemata(const Catalog& catalog, const std::string& of) {
  Table table;
  table.columns = {{"CATALOG_NAME", TextType()},      {"SCHEMA_NAME", TextType()},
                   {"SCHEMA_OWNER", TextType()},      {"IS_TRANSIENT", TextType()},
                   {"CREATED", Of(Kind::kTimestamp)}, {"COMMENT", TextType()}};
  ASSIGN_OR_RETURN(auto schemas, catalog.Schemas(of));
  for (const Container& schema : schemas) {
    table.rows.push_back(json::array{schema.database, schema.name, schema.owner, "NO",
                                     TimestampText(schema.created_ms), OrNull(schema.comment)});
  }
  return table;
}

Result<Table> ReadTables(const Catalog& catalog, const std::string& of) {
  Table table;
  table.columns = {{"TABLE_CATALOG", TextType()},
                   {"TABLE_SCHEMA", TextType()},
                   {"TABLE_NAME", TextType()},
                   {"TABLE_OWNER", TextType()},
                   {"TABLE_TYPE", TextType()},
                   {"IS_TRANSIENT", TextType()},
                   {"ROW_COUNT", Number(0)},
                   {"BYTES", Number(0)},
                   {"RETENTION_TIME", Number(0)},
                   {"CREATED", Of(Kind::kTimestamp)},
                   {"LAST_ALTERED", Of(Kind::kTimestamp)},
                   {"COMMENT", TextType()}};
  ASSIGN_OR_RETURN(auto relations, catalog.Relations(of, ""));
  for (const Relation& relation : relations) {
    json::value rows = nullptr;
    if (!relation.is_view) {
      ASSIGN_OR_RETURN(std::int64_t count, catalog.RowCount(relation));
      rows = count;
    }
    const char* type = relation.is_view                  ? "VIEW"
                       : relation.flavour == "TEMPORARY" ? "LOCAL TEMPORARY"
                                                         : "BASE TABLE";
    json::value bytes = relation.is_view ? json::value(nullptr) : json::value(0);
    json::value transient = relation.is_view
                                ? json::value(nullptr)
                                : json::value(relation.flavour == "TRANSIENT" ? "YES" : "NO");
    table.rows.push_back(json::array{relation.name.database, relation.name.schema,
                                     relation.name.name, relation.owner, type, std::move(transient),
                                     std::move(rows), std::move(bytes), 1,
                                     TimestampText(relation.created_ms),
                                     TimestampText(relation.created_ms), OrNull(relation.comment)});
  }
  return table;
}

json::array ColumnRow(const Relation& relation, const Column& column, std::size_t position) {
  const Type type = column.type();
  json::value length = type.kind == Kind::kText ? json::value(type.size) : json::value(nullptr);
  json::value precision =
      type.kind == Kind::kNumber ? json::value(type.size) : json::value(nullptr);
  json::value scale = type.kind == Kind::kNumber ? json::value(type.scale) : json::value(nullptr);
  return json::array{relation.name.database,
                     relation.name.schema,
                     relation.name.name,
                     column.name,
                     position,
                     OrNull(column.default_value),
                     column.nullable ? "YES" : "NO",
                     BaseName(column.data_type),
                     std::move(length),
                     std::move(precision),
                     std::move(scale),
                     column.identity_next ? "YES" : "NO",
                     OrNull(column.comment)};
}

Result<Table> ReadColumns(const Catalog& catalog, const std::string& of) {
  Table table;
  table.columns = {{"TABLE_CATALOG", TextType()},
                   {"TABLE_SCHEMA", TextType()},
                   {"TABLE_NAME", TextType()},
                   {"COLUMN_NAME", TextType()},
                   {"ORDINAL_POSITION", Number(0)},
                   {"COLUMN_DEFAULT", TextType()},
                   {"IS_NULLABLE", TextType()},
                   {"DATA_TYPE", TextType()},
                   {"CHARACTER_MAXIMUM_LENGTH", Number(0)},
                   {"NUMERIC_PRECISION", Number(0)},
                   {"NUMERIC_SCALE", Number(0)},
                   {"IS_IDENTITY", TextType()},
                   {"COMMENT", TextType()}};
  ASSIGN_OR_RETURN(auto relations, catalog.Relations(of, ""));
  for (const Relation& relation : relations) {
    ASSIGN_OR_RETURN(auto columns, catalog.Columns(relation.name));
    for (std::size_t i = 0; i < columns.size(); ++i)
      table.rows.push_back(ColumnRow(relation, columns[i], i + 1));
  }
  return table;
}

Result<Table> ReadViews(const Catalog& catalog, const std::string& of) {
  Table table;
  table.columns = {{"TABLE_CATALOG", TextType()},     {"TABLE_SCHEMA", TextType()},
                   {"TABLE_NAME", TextType()},        {"TABLE_OWNER", TextType()},
                   {"VIEW_DEFINITION", TextType()},   {"IS_SECURE", TextType()},
                   {"CREATED", Of(Kind::kTimestamp)}, {"COMMENT", TextType()}};
  ASSIGN_OR_RETURN(auto relations, catalog.Relations(of, ""));
  for (const Relation& relation : relations) {
    if (!relation.is_view) continue;
    table.rows.push_back(json::array{relation.name.database, relation.name.schema,
                                     relation.name.name, relation.owner, relation.definition, "NO",
                                     TimestampText(relation.created_ms), OrNull(relation.comment)});
  }
  return table;
}

}  // namespace

Result<std::optional<Query>> ReadInformationSchema(Context& context,
                                                   const std::string& database,
                                                   const std::string& view) {
  const std::string key = database + "\n" + view;
  if (auto known = context.information.find(key); known != context.information.end()) {
    return std::optional<Query>(known->second);
  }
  Table table;
  if (view == "DATABASES") {
    ASSIGN_OR_RETURN(table, ReadDatabases(context.catalog));
  } else if (view == "SCHEMATA") {
    ASSIGN_OR_RETURN(table, ReadSchemata(context.catalog, database));
  } else if (view == "TABLES") {
    ASSIGN_OR_RETURN(table, ReadTables(context.catalog, database));
  } else if (view == "COLUMNS") {
    ASSIGN_OR_RETURN(table, ReadColumns(context.catalog, database));
  } else if (view == "VIEWS") {
    ASSIGN_OR_RETURN(table, ReadViews(context.catalog, database));
  } else {
    return std::optional<Query>();
  }
  context.parameters.push_back(json::serialize(table.rows));
  context.tables.insert("json_each");
  Query query;
  std::string list;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    list +=
        fmt::format("{}value ->> {} AS {}", i == 0 ? "" : ", ", i, SqlName(table.columns[i].name));
  }
  query.sql = fmt::format("SELECT {} FROM json_each(?{})", list, context.parameters.size());
  query.columns = std::move(table.columns);
  context.information.emplace(key, query);
  return std::optional<Query>(std::move(query));
}

}  // namespace viv::engine::guest_sql
