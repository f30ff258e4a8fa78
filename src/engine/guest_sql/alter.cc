// ALTER TABLE and COMMENT ON.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::string_view kDone = "Statement executed successfully.";

std::vector<Column>::iterator ColumnNamed(std::vector<Column>& columns, const std::string& name) {
  return std::find_if(columns.begin(), columns.end(),
                      [&](const Column& column) { return column.name == name; });
}

tl::unexpected<Error> ColumnMissing(std::string_view name) {
  return CompilationError("000904 (42000)", fmt::format("column '{}' does not exist", name));
}

}  // namespace

Result<Outcome> Statement::RunAlter() {
  cursor_.Next();
  if (cursor_.AcceptWord("SESSION")) return Message("ALTER_SESSION", std::string(kDone));
  const std::string what = cursor_.Peek().text;
  if (!cursor_.AcceptWord("TABLE") && !cursor_.AcceptWord("VIEW"))
    return Unsupported("ALTER " + what);
  const bool quiet = cursor_.AcceptWords("IF", "EXISTS");
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  translator_.set_verb("ALTER TABLE");
  auto table = translator_.FindRelation(name);
  if (!table && quiet && table.error().code == ErrorCode::kNotFound)
    return Message("ALTER_TABLE", std::string(kDone));
  if (!table) return PassUp(std::move(table).error());
  if (cursor_.AcceptWords("RENAME", "TO")) return RenameTable(*table);
  if (table->is_view || what == "VIEW") return Unsupported("ALTER VIEW");
  return AlterTable(*table);
}

Result<Outcome> Statement::AlterTable(const Relation& table) {
  ASSIGN_OR_RETURN(auto columns, catalog_.Columns(table.name));
  if (cursor_.AcceptWord("ADD")) {
    ASSIGN_OR_RETURN(bool constraint, ReadTableConstraint(columns));
    if (!constraint) RETURN_IF_ERROR(AddColumns(table, columns));
  } else if (cursor_.AcceptWords("RENAME", "COLUMN")) {
    RETURN_IF_ERROR(RenameColumn(table, columns));
  } else if (cursor_.AcceptWord("DROP")) {
    RETURN_IF_ERROR(DropColumns(table, columns));
  } else if (cursor_.AcceptWord("ALTER") || cursor_.AcceptWord("MODIFY")) {
    RETURN_IF_ERROR(ModifyColumns(columns));
  } else if (cursor_.AcceptWord("SET")) {
    ASSIGN_OR_RETURN(auto comment, ReadOptions());
    if (comment) RETURN_IF_ERROR(catalog_.SetComment(table.name, *comment));
  } else if (cursor_.Peek().kind == TokenKind::kWord) {
    return Unsupported("ALTER TABLE " + cursor_.Peek().text);
  }
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  RETURN_IF_ERROR(catalog_.ReplaceColumns(table.name, columns));
  return Message("ALTER_TABLE", std::string(kDone));
}

Status Statement::AddColumns(const Relation& table, std::vector<Column>& columns) {
  cursor_.AcceptWord("COLUMN");
  do {
    ASSIGN_OR_RETURN(bool quiet, ReadIfNotExists());
    bool typed = false;
    ASSIGN_OR_RETURN(Column column, ReadColumnDefinition(&typed));
    if (!typed) return cursor_.Unexpected();
    if (ColumnNamed(columns, column.name) != columns.end()) {
      if (quiet) continue;
      return CompilationError("001430 (42601)",
                              fmt::format("column '{}' already exists", column.name));
    }
    ASSIGN_OR_RETURN(std::int64_t rows, catalog_.RowCount(table));
    if (!column.nullable && !column.default_value && rows > 0) {
      return CompilationError(
          "002071 (22000)",
          fmt::format("Non-nullable column '{}' cannot be added to non-empty table '{}' unless it "
                      "has a non-null default value.",
                      column.name, DisplayName(table.name.name)));
    }
    columns.push_back(column);
    RETURN_IF_ERROR(CheckColumns(columns));
    RETURN_IF_ERROR(catalog_.Execute(fmt::format("ALTER TABLE main.{} ADD COLUMN {} {}",
                                                 SqlName(table.physical), SqlName(column.name),
                                                 StorageOf(column.type()))));
    if (column.default_value) {
      ASSIGN_OR_RETURN(std::string sql, translator_.FillDefault(table, column));
      RETURN_IF_ERROR(ExecuteWrite(context_, sql, budget_));
    }
  } while (cursor_.AcceptSymbol(","));
  return {};
}

Status Statement::DropColumns(const Relation& table, std::vector<Column>& columns) {
  if (cursor_.IsWord("PRIMARY") || cursor_.IsWord("CONSTRAINT") || cursor_.IsWord("CLUSTERING")) {
    return Unsupported("ALTER TABLE DROP " + cursor_.Peek().text);
  }
  cursor_.AcceptWord("COLUMN");
  const bool quiet = cursor_.AcceptWords("IF", "EXISTS");
  do {
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    auto found = ColumnNamed(columns, name);
    if (found == columns.end() && quiet) continue;
    if (found == columns.end()) return ColumnMissing(name);
    if (columns.size() == 1) {
      return CompilationError("002112 (42601)",
                              fmt::format("Cannot drop column '{}': it is the only one.", name));
    }
    columns.erase(found);
    RETURN_IF_ERROR(catalog_.Execute(
        fmt::format("ALTER TABLE main.{} DROP COLUMN {}", SqlName(table.physical), SqlName(name))));
  } while (cursor_.AcceptSymbol(","));
  return {};
}

Status Statement::RenameColumn(const Relation& table, std::vector<Column>& columns) {
  ASSIGN_OR_RETURN(std::string from, cursor_.Name());
  RETURN_IF_ERROR(cursor_.ExpectWord("TO"));
  ASSIGN_OR_RETURN(std::string to, cursor_.Name());
  auto found = ColumnNamed(columns, from);
  if (found == columns.end()) return ColumnMissing(from);
  found->name = to;
  RETURN_IF_ERROR(CheckColumns(columns));
  return catalog_.Execute(fmt::format("ALTER TABLE main.{} RENAME COLUMN {} TO {}",
                                      SqlName(table.physical), SqlName(from), SqlName(to)));
}

Status Statement::ModifyColumns(std::vector<Column>& columns) {
  const bool list = cursor_.AcceptSymbol("(");
  do {
    cursor_.AcceptWord("COLUMN");
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    auto found = ColumnNamed(columns, name);
    if (found == columns.end()) return ColumnMissing(name);
    RETURN_IF_ERROR(ModifyColumn(*found));
  } while (cursor_.AcceptSymbol(","));
  return list ? cursor_.ExpectSymbol(")") : Status();
}

Status Statement::ModifyColumn(Column& column) {
  if (cursor_.AcceptWord("COMMENT")) {
    ASSIGN_OR_RETURN(column.comment, cursor_.Text());
    return {};
  }
  const bool drop = cursor_.AcceptWord("DROP");
  const bool set = !drop && cursor_.AcceptWord("SET");
  if (cursor_.AcceptWords("NOT", "NULL")) {
    column.nullable = drop;
    return {};
  }
  if (drop) {
    RETURN_IF_ERROR(cursor_.ExpectWord("DEFAULT"));
    column.default_value.reset();
    return {};
  }
  if (set && cursor_.IsWord("DEFAULT")) return Unsupported("ALTER COLUMN SET DEFAULT");
  if (set) RETURN_IF_ERROR(cursor_.ExpectWord("DATA"));
  cursor_.AcceptWord("TYPE");
  ASSIGN_OR_RETURN(DataType type, ParseDataType(cursor_));
  if (type.type.kind != column.type().kind) {
    return CompilationError("002108 (22000)",
                            fmt::format("cannot change column {} from type {} to {}", column.name,
                                        column.data_type, type.name));
  }
  column.data_type = std::move(type.name);
  return {};
}

Result<Outcome> Statement::RenameTable(const Relation& table) {
  ASSIGN_OR_RETURN(ObjectName to, ReadNewName("ALTER TABLE"));
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  ASSIGN_OR_RETURN(auto taken, catalog_.Find(to));
  if (taken) return ObjectExists(DisplayName(to));
  std::string physical;
  if (!table.is_view) {
    physical = PhysicalName(to);
    RETURN_IF_ERROR(catalog_.Execute(fmt::format("ALTER TABLE main.{} RENAME TO {}",
                                                 SqlName(table.physical), SqlName(physical))));
  }
  RETURN_IF_ERROR(catalog_.Rename(table.name, to, physical));
  return Message("ALTER_TABLE", std::string(kDone));
}

// COMMENT [IF EXISTS] ON TABLE t IS 'x', … ON COLUMN t.c IS 'x'
Result<Outcome> Statement::RunComment() {
  cursor_.Next();
  cursor_.AcceptWords("IF", "EXISTS");
  RETURN_IF_ERROR(cursor_.ExpectWord("ON"));
  const std::string what = cursor_.Peek().text;
  if (what != "TABLE" && what != "VIEW" && what != "COLUMN")
    return Unsupported("COMMENT ON " + what);
  cursor_.Next();
  ASSIGN_OR_RETURN(auto path, cursor_.DottedName(4));
  std::string column;
  if (what == "COLUMN") {
    column = path.back();
    path.pop_back();
  }
  if (path.empty() || path.size() > 3) return cursor_.Unexpected();
  RETURN_IF_ERROR(cursor_.ExpectWord("IS"));
  ASSIGN_OR_RETURN(std::string comment, cursor_.Text());
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  ObjectName name;
  name.name = path.back();
  if (path.size() > 1) name.schema = path[path.size() - 2];
  if (path.size() > 2) name.database = path[0];
  translator_.set_verb("COMMENT");
  ASSIGN_OR_RETURN(Relation relation, translator_.FindRelation(name));
  if (what != "COLUMN") {
    RETURN_IF_ERROR(catalog_.SetComment(relation.name, comment));
    return Message("COMMENT", std::string(kDone));
  }
  ASSIGN_OR_RETURN(auto columns, catalog_.Columns(relation.name));
  auto found = ColumnNamed(columns, column);
  if (found == columns.end()) return ColumnMissing(column);
  found->comment = std::move(comment);
  RETURN_IF_ERROR(catalog_.ReplaceColumns(relation.name, columns));
  return Message("COMMENT", std::string(kDone));
}

}  // namespace viv::engine::guest_sql
