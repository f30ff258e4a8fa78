// SHOW and DESCRIBE: the catalogue as the product lists it, with lower-case column names.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/like.h"
#include "engine/guest_sql/moment.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {
namespace {

json::array Names(std::initializer_list<std::string_view> names) {
  json::array out;
  for (std::string_view name : names) out.push_back(json::value(name));
  return out;
}

void AddRow(RowSet& set, json::array values) {
  json::object row(set.columns.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    row.emplace(View(set.columns[i].get_string()), std::move(values[i]));
  }
  set.rows.push_back(std::move(row));
}

std::string CellText(const std::optional<std::string>& text) {
  return text.value_or("");
}

json::value CellOrNull(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

// {"type":"FIXED",…}, as SHOW COLUMNS describes a type.
std::string TypeJson(const Column& column) {
  const Type type = column.type();
  json::object out;
  out["type"] = type.kind == Kind::kNumber  ? "FIXED"
                : type.kind == Kind::kFloat ? "REAL"
                                            : BaseName(column.data_type);
  if (type.kind == Kind::kNumber) {
    out["precision"] = type.size;
    out["scale"] = type.scale;
  }
  if (type.kind == Kind::kText) out["length"] = type.size;
  out["nullable"] = column.nullable;
  return json::serialize(out);
}

}  // namespace

Result<Outcome> Statement::RunShow() {
  cursor_.Next();
  cursor_.AcceptWord("TERSE");
  const Token what = cursor_.Next();
  cursor_.AcceptWord("HISTORY");
  ASSIGN_OR_RETURN(ShowFilter filter, ReadShowFilter());
  RowSet rows;
  if (what.IsWord("DATABASES")) {
    ASSIGN_OR_RETURN(rows, ShowDatabases());
  } else if (what.IsWord("SCHEMAS")) {
    ASSIGN_OR_RETURN(rows, ShowSchemas(filter));
  } else if (what.IsWord("TABLES") || what.IsWord("VIEWS") || what.IsWord("OBJECTS")) {
    ASSIGN_OR_RETURN(rows, ShowTables(filter, what.text));
  } else if (what.IsWord("COLUMNS")) {
    ASSIGN_OR_RETURN(rows, ShowColumns(filter));
  } else if (what.IsWord("WAREHOUSES")) {
    ASSIGN_OR_RETURN(rows, ShowWarehouses());
  } else if (what.kind == TokenKind::kWord) {
    return Unsupported("SHOW " + what.text);
  } else {
    return SyntaxErrorAt(what.line, what.position, what.text);
  }
  RowSet out{std::move(rows.columns), {}};
  const char* key = what.IsWord("COLUMNS") ? "column_name" : "name";
  for (json::value& row : rows.rows) {
    std::string_view name = FindString(row, key);
    if (!filter.like.empty() && !LikeMatches(ToLower(name), ToLower(filter.like))) continue;
    if (!name.starts_with(filter.starts_with)) continue;
    if (filter.limit >= 0 && static_cast<std::int64_t>(out.rows.size()) >= filter.limit) break;
    out.rows.push_back(std::move(row));
  }
  if (static_cast<std::int64_t>(out.rows.size()) > budget_.limits().rows_max) {
    return Fail(ErrorCode::kLimitExceeded, "Result has too many rows. Add a LIMIT or a filter.");
  }
  return Listing("SHOW", std::move(out));
}

Result<Statement::ShowFilter> Statement::ReadShowFilter() {
  ShowFilter filter;
  filter.database = session_.database;
  filter.schema = session_.schema;
  if (cursor_.AcceptWord("LIKE")) {
    ASSIGN_OR_RETURN(filter.like, cursor_.Text());
    if (filter.like.size() > 1000) return TooComplex();
  }
  if (cursor_.AcceptWord("IN") || cursor_.AcceptWord("FROM"))
    RETURN_IF_ERROR(ReadShowScope(filter));
  if (cursor_.AcceptWord("STARTS")) {
    RETURN_IF_ERROR(cursor_.ExpectWord("WITH"));
    ASSIGN_OR_RETURN(filter.starts_with, cursor_.Text());
  }
  if (cursor_.AcceptWord("LIMIT")) {
    const Token token = cursor_.Next();
    auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), filter.limit);
    if (token.kind != TokenKind::kNumber || error != std::errc() || *end != '\0')
      return cursor_.Unexpected();
    if (cursor_.AcceptWord("FROM")) RETURN_IF_ERROR(cursor_.Text());
  }
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  return filter;
}

// ACCOUNT, DATABASE [d], SCHEMA [d.s], TABLE t, or a bare name.
Status Statement::ReadShowScope(ShowFilter& filter) {
  if (cursor_.AcceptWord("ACCOUNT")) {
    filter.database.clear();
    filter.schema.clear();
    return {};
  }
  const bool table = cursor_.AcceptWord("TABLE") || cursor_.AcceptWord("VIEW");
  const bool database = !table && cursor_.AcceptWord("DATABASE");
  const bool schema = !table && !database && cursor_.AcceptWord("SCHEMA");
  if (database) filter.schema.clear();
  if (!cursor_.IsName()) return database || schema ? Status() : Status(cursor_.Unexpected());
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  if (table) {
    ASSIGN_OR_RETURN(Relation found, translator_.FindRelation(name));
    filter.database = found.name.database;
    filter.schema = found.name.schema;
    filter.table = found.name.name;
    return {};
  }
  if (!name.database.empty()) return cursor_.Unexpected();
  // A bare single name is a database when there is one, else a schema.
  ASSIGN_OR_RETURN(bool is_database, catalog_.HasDatabase(name.name));
  if (database || (!schema && name.schema.empty() && is_database)) {
    if (!is_database) return UseMissing();
    filter.database = name.name;
    filter.schema.clear();
    return {};
  }
  filter.database = name.schema.empty() ? session_.database : name.schema;
  filter.schema = name.name;
  if (filter.database.empty()) return NoCurrentDatabase("SHOW");
  ASSIGN_OR_RETURN(bool has, catalog_.HasSchema(filter.database, filter.schema));
  return has ? Status() : Status(UseMissing());
}

Result<RowSet> Statement::ShowDatabases() {
  RowSet out{Names({"created_on", "name", "is_default", "is_current", "origin", "owner", "comment",
                    "options", "retention_time", "kind"}),
             {}};
  ASSIGN_OR_RETURN(auto databases, catalog_.Databases());
  for (const Container& database : databases) {
    AddRow(out, {TimestampText(database.created_ms), database.name, "N",
                 database.name == session_.database ? "Y" : "N", "", database.owner,
                 CellText(database.comment), "", "1", "STANDARD"});
  }
  return out;
}

Result<RowSet> Statement::ShowSchemas(const ShowFilter& filter) {
  RowSet out{Names({"created_on", "name", "is_default", "is_current", "database_name", "owner",
                    "comment", "options", "retention_time"}),
             {}};
  ASSIGN_OR_RETURN(auto schemas, catalog_.Schemas(filter.database));
  for (const Container& schema : schemas) {
    const bool current = schema.database == session_.database && schema.name == session_.schema;
    AddRow(out, {TimestampText(schema.created_ms), schema.name, "N", current ? "Y" : "N",
                 schema.database, schema.owner, CellText(schema.comment), "", "1"});
  }
  return out;
}

Result<RowSet> Statement::ShowTables(const ShowFilter& filter, std::string_view what) {
  RowSet out;
  if (what == "VIEWS") {
    out.columns = Names({"created_on", "name", "reserved", "database_name", "schema_name", "owner",
                         "comment", "text", "is_secure", "is_materialized"});
  } else {
    out.columns = Names({"created_on", "name", "database_name", "schema_name", "kind", "comment",
                         "cluster_by", "rows", "bytes", "owner", "retention_time"});
  }
  ASSIGN_OR_RETURN(auto relations, catalog_.Relations(filter.database, filter.schema));
  for (const Relation& relation : relations) {
    const std::string created = TimestampText(relation.created_ms);
    if (what == "VIEWS" && relation.is_view) {
      AddRow(out,
             {created, relation.name.name, "", relation.name.database, relation.name.schema,
              relation.owner, CellText(relation.comment), relation.definition, "false", "false"});
    }
    if (what == "VIEWS" || (what == "TABLES" && relation.is_view)) continue;
    std::int64_t count = 0;
    if (!relation.is_view) {
      ASSIGN_OR_RETURN(count, catalog_.RowCount(relation));
    }
    std::string kind = relation.is_view           ? "VIEW"
                       : relation.flavour.empty() ? "TABLE"
                                                  : relation.flavour;
    AddRow(out, {created, relation.name.name, relation.name.database, relation.name.schema, kind,
                 CellText(relation.comment), "", count, 0, relation.owner, "1"});
  }
  return out;
}

Result<RowSet> Statement::ShowColumns(const ShowFilter& filter) {
  RowSet out{Names({"table_name", "schema_name", "column_name", "data_type", "null?", "default",
                    "kind", "expression", "comment", "database_name", "autoincrement"}),
             {}};
  ASSIGN_OR_RETURN(auto relations, catalog_.Relations(filter.database, filter.schema));
  for (const Relation& relation : relations) {
    if (!filter.table.empty() && relation.name.name != filter.table) continue;
    ASSIGN_OR_RETURN(auto columns, catalog_.Columns(relation.name));
    for (const Column& column : columns) {
      std::string identity;
      if (column.identity_next) {
        identity = fmt::format("IDENTITY START {} INCREMENT {}", *column.identity_next,
                               column.identity_step);
      }
      AddRow(out, {relation.name.name, relation.name.schema, column.name, TypeJson(column),
                   column.nullable ? "true" : "NOT_NULL", CellText(column.default_value), "COLUMN",
                   "", CellText(column.comment), relation.name.database, identity});
    }
  }
  return out;
}

Result<RowSet> Statement::ShowWarehouses() {
  RowSet out{Names({"name", "state", "type", "size", "is_default", "is_current", "auto_suspend",
                    "auto_resume", "created_on", "owner", "comment"}),
             {}};
  ASSIGN_OR_RETURN(
      db::Statement row,
      catalog_.Prepare("SELECT name, state, size, created_ms, owner, coalesce(comment, "
                       "'') FROM main.guest_warehouse ORDER BY name"));
  while (true) {
    ASSIGN_OR_RETURN(bool found, row.Step());
    if (!found) return out;
    AddRow(out, {row.Text(0), row.Text(1), "STANDARD", row.Text(2), "N",
                 row.Text(0) == session_.warehouse ? "Y" : "N", 600, "true",
                 TimestampText(row.Integer(3)), row.Text(4), row.Text(5)});
  }
}

Result<Outcome> Statement::RunDescribe() {
  cursor_.Next();
  if (!cursor_.AcceptWord("TABLE") && !cursor_.AcceptWord("VIEW") && !cursor_.IsName()) {
    return Unsupported("DESCRIBE " + cursor_.Peek().text);
  }
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  translator_.set_verb("DESCRIBE");
  auto relation = translator_.FindRelation(name);
  if (!relation && relation.error().code == ErrorCode::kNotFound) {
    return CompilationError(
        "002003 (02000)",
        fmt::format("Table '{}' does not exist or not authorized.", DisplayName(name)),
        ErrorCode::kNotFound);
  }
  if (!relation) return PassUp(std::move(relation).error());
  RowSet out{Names({"name", "type", "kind", "null?", "default", "primary key", "unique key",
                    "check", "expression", "comment", "policy name"}),
             {}};
  ASSIGN_OR_RETURN(auto columns, catalog_.Columns(relation->name));
  for (const Column& column : columns) {
    json::value fallback = CellOrNull(column.default_value);
    if (column.identity_next) {
      fallback = fmt::format("IDENTITY START {} INCREMENT {} NOORDER", *column.identity_next,
                             column.identity_step);
    }
    AddRow(out, {column.name, column.data_type, "COLUMN", column.nullable ? "Y" : "N", fallback,
                 column.primary_key ? "Y" : "N", "N", nullptr, nullptr, CellOrNull(column.comment),
                 nullptr});
  }
  return Listing("DESCRIBE", std::move(out));
}

}  // namespace viv::engine::guest_sql
