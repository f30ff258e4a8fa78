// INSERT, UPDATE and DELETE. Every value on its way into a column passes g$store, which casts it to
// the column's type and refuses what the column cannot hold, so the tables themselves carry no
// constraints.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

std::string StoreSql(const Expression& value, const Column& column) {
  const Type type = column.type();
  const std::string sql = type.kind == Kind::kText ? AsText(value) : value.sql;
  return fmt::format("g$store({}, '{}', {}, {}, {}, {})", sql, static_cast<char>(type.kind),
                     type.size, type.scale, column.nullable ? 1 : 0, SqlText(column.name));
}

}  // namespace

Result<Translator::Target> Translator::ReadTarget() {
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  Target target;
  ASSIGN_OR_RETURN(target.table, FindRelation(name));
  if (target.table.is_view) {
    return CompilationError("002098 (42601)", fmt::format("{} is not a table.", DisplayName(name)));
  }
  ASSIGN_OR_RETURN(target.columns, context_.catalog.Columns(target.table.name));
  target.scope.alias = target.table.name.name;
  target.scope.object = target.table.name;
  target.sql_name = NewName();
  for (const Column& column : target.columns) {
    target.scope.columns.push_back(
        {column.name, column.type(), target.sql_name + "." + SqlName(column.name)});
  }
  context_.tables.insert(target.table.physical);
  return target;
}

// The columns named in brackets, as indices; all of them when there are no brackets.
Result<std::vector<std::size_t>> Translator::ReadColumnList(const Target& target) {
  std::vector<std::size_t> list;
  if (!cursor_.IsSymbol("(") || AtQuery(1)) {
    for (std::size_t i = 0; i < target.columns.size(); ++i) list.push_back(i);
    return list;
  }
  cursor_.Next();
  do {
    const Token at = cursor_.Peek();
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    auto is_it = [&](const Column& column) { return column.name == name; };
    auto found = std::find_if(target.columns.begin(), target.columns.end(), is_it);
    if (found == target.columns.end()) return InvalidIdentifier(at, DisplayName(name));
    const auto index = static_cast<std::size_t>(found - target.columns.begin());
    if (std::find(list.begin(), list.end(), index) != list.end()) {
      return CompilationError("002025 (42S21)", fmt::format("duplicate column name '{}'", name));
    }
    list.push_back(index);
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return list;
}

Result<std::string> Translator::DefaultOf(const Column& column) {
  if (!column.default_value) return std::string("NULL");
  auto tokens = Tokenize(*column.default_value);
  if (!tokens) return PassUp(tokens.error());
  Cursor cursor(*column.default_value, *tokens);
  Translator inner(context_, session_, cursor);
  const Scope nothing(nullptr);
  ASSIGN_OR_RETURN(Expression value, inner.ReadExpression(nothing));
  RETURN_IF_ERROR(cursor.ExpectEnd());
  return value.sql;
}

// VALUES of an INSERT, in which DEFAULT may stand for a column's default.
Result<Query> Translator::ReadInsertRows(const Target& target,
                                         const std::vector<std::size_t>& targets) {
  if (!cursor_.IsWord("VALUES")) return ReadQuery(nullptr);
  bool has_default = false;
  for (std::size_t ahead = 0; cursor_.Peek(ahead).kind != TokenKind::kEnd; ++ahead) {
    has_default |= cursor_.IsWord("DEFAULT", ahead);
  }
  if (!has_default) return ReadQuery(nullptr);
  cursor_.Next();
  Query query;
  const Scope nothing(nullptr);
  for (std::size_t index : targets) query.columns.push_back({target.columns[index].name, {}});
  do {
    RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
    std::string row;
    std::size_t count = 0;
    do {
      std::string value;
      if (cursor_.AcceptWord("DEFAULT")) {
        if (count >= targets.size()) return cursor_.Unexpected();
        ASSIGN_OR_RETURN(value, DefaultOf(target.columns[targets[count]]));
      } else {
        ASSIGN_OR_RETURN(Expression read, ReadExpression(nothing));
        value = std::move(read.sql);
      }
      row += (count++ == 0 ? "" : ", ") + value;
    } while (cursor_.AcceptSymbol(","));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
    if (count != targets.size()) return InsertMismatch(targets.size(), count);
    query.sql += (query.sql.empty() ? "VALUES (" : ", (") + row + ")";
    if (query.sql.size() > kEmittedBytesMax) return TooComplex();
  } while (cursor_.AcceptSymbol(","));
  return query;
}

Result<std::string> Translator::InsertFrom(const Relation& table,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::size_t>& targets,
                                           const Query& source) {
  if (source.columns.size() != targets.size())
    return InsertMismatch(targets.size(), source.columns.size());
  std::vector<std::string> inputs;
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Column& column = columns[targets[i]];
    inputs.push_back(fmt::format("`k{}`", i));
    names.push_back(SqlName(column.name));
    values.push_back(StoreSql({inputs.back(), source.columns[i].type}, column));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::find(targets.begin(), targets.end(), i) != targets.end()) continue;
    const Column& column = columns[i];
    std::string value;
    if (column.identity_next) {
      value = fmt::format("({} + {} * (row_number() OVER () - 1))", *column.identity_next,
                          column.identity_step);
      identities_.push_back({table.name, column});
    } else {
      ASSIGN_OR_RETURN(value, DefaultOf(column));
    }
    names.push_back(SqlName(column.name));
    values.push_back(StoreSql({value, {}}, column));
  }
  context_.tables.insert(table.physical);
  return fmt::format("INSERT INTO main.{}({}) WITH `g$i`({}) AS ({}) SELECT {} FROM `g$i`",
                     SqlName(table.physical), fmt::join(names, ", "), fmt::join(inputs, ", "),
                     source.sql, fmt::join(values, ", "));
}

Result<std::string> Translator::FillDefault(const Relation& table, const Column& column) {
  ASSIGN_OR_RETURN(std::string value, DefaultOf(column));
  context_.tables.insert(table.physical);
  return fmt::format("UPDATE main.{} SET {} = {}", SqlName(table.physical), SqlName(column.name),
                     StoreSql({value, {}}, column));
}

Status Translator::AdvanceIdentities(std::int64_t rows) {
  for (const PendingIdentity& pending : identities_) {
    // Unsigned, as a step may be anything: the sequence then wraps instead of overflowing.
    const auto next =
        static_cast<std::uint64_t>(*pending.column.identity_next) +
        static_cast<std::uint64_t>(pending.column.identity_step) * static_cast<std::uint64_t>(rows);
    RETURN_IF_ERROR(context_.catalog.SetIdentity(pending.table, pending.column.name,
                                                 static_cast<std::int64_t>(next)));
  }
  identities_.clear();
  return {};
}

Result<std::vector<Write>> Translator::ReadInsert() {
  RETURN_IF_ERROR(cursor_.ExpectWord("INSERT"));
  const bool overwrite = cursor_.AcceptWord("OVERWRITE");
  if (cursor_.IsWord("ALL") || cursor_.IsWord("FIRST")) return Unsupported("multi-table INSERT");
  RETURN_IF_ERROR(cursor_.ExpectWord("INTO"));
  ASSIGN_OR_RETURN(Target target, ReadTarget());
  ASSIGN_OR_RETURN(auto targets, ReadColumnList(target));
  ASSIGN_OR_RETURN(Query source, ReadInsertRows(target, targets));
  ASSIGN_OR_RETURN(std::string sql, InsertFrom(target.table, target.columns, targets, source));
  std::vector<Write> writes;
  if (overwrite)
    writes.push_back({Write::Kind::kDelete, "DELETE FROM main." + SqlName(target.table.physical)});
  writes.push_back({Write::Kind::kInsert, std::move(sql)});
  return writes;
}

// `a = 1, t.b = DEFAULT`
Result<std::string> Translator::ReadAssignments(const Scope& scope, const Target& target) {
  std::string sql;
  std::set<std::string> seen;
  do {
    const Token at = cursor_.Peek();
    ASSIGN_OR_RETURN(auto path, cursor_.DottedName(4));
    auto is_it = [&](const Column& column) { return column.name == path.back(); };
    auto column = std::find_if(target.columns.begin(), target.columns.end(), is_it);
    if (column == target.columns.end()) return InvalidIdentifier(at, DisplayName(path.back()));
    if (!seen.insert(column->name).second) {
      return CompilationError("002025 (42S21)",
                              fmt::format("duplicate column name '{}'", column->name));
    }
    RETURN_IF_ERROR(cursor_.ExpectSymbol("="));
    Expression value;
    if (cursor_.AcceptWord("DEFAULT")) {
      ASSIGN_OR_RETURN(value.sql, DefaultOf(*column));
    } else {
      ASSIGN_OR_RETURN(value, ReadExpression(scope));
    }
    sql += fmt::format("{}{} = {}", sql.empty() ? "" : ", ", SqlName(column->name),
                       StoreSql(value, *column));
    if (sql.size() > kEmittedBytesMax) return TooComplex();
  } while (cursor_.AcceptSymbol(","));
  return sql;
}

Result<std::vector<Write>> Translator::ReadUpdate() {
  RETURN_IF_ERROR(cursor_.ExpectWord("UPDATE"));
  ASSIGN_OR_RETURN(Target target, ReadTarget());
  RETURN_IF_ERROR(ReadAlias(target.scope, nullptr));
  RETURN_IF_ERROR(cursor_.ExpectWord("SET"));
  Scope scope(nullptr);
  scope.relations.push_back(target.scope);
  // As with SELECT, FROM is read before what uses it.
  const std::size_t assignments = cursor_.place();
  cursor_.MoveTo(FindFrom());
  std::string from;
  if (cursor_.AcceptWord("FROM")) {
    ASSIGN_OR_RETURN(from, ReadFrom(scope));
  }
  const std::size_t after = cursor_.place();
  cursor_.MoveTo(assignments);
  ASSIGN_OR_RETURN(std::string set, ReadAssignments(scope, target));
  if (!cursor_.IsWord("FROM") && cursor_.place() != after) return cursor_.Unexpected();
  cursor_.MoveTo(after);
  std::string where;
  if (cursor_.AcceptWord("WHERE")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    where = " WHERE " + condition.sql;
  }
  std::vector<Write> writes;
  writes.push_back({Write::Kind::kUpdate,
                    fmt::format("UPDATE main.{} AS {} SET {}{}{}", SqlName(target.table.physical),
                                target.sql_name, set, from, where)});
  return writes;
}

Result<std::vector<Write>> Translator::ReadDelete() {
  RETURN_IF_ERROR(cursor_.ExpectWord("DELETE"));
  RETURN_IF_ERROR(cursor_.ExpectWord("FROM"));
  ASSIGN_OR_RETURN(Target target, ReadTarget());
  RETURN_IF_ERROR(ReadAlias(target.scope, nullptr));
  Scope scope(nullptr);
  scope.relations.push_back(target.scope);
  const std::string table = SqlName(target.table.physical);
  std::string from;
  if (cursor_.AcceptWord("USING")) {
    ASSIGN_OR_RETURN(from, ReadFrom(scope));
  }
  std::string where;
  if (cursor_.AcceptWord("WHERE")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    where = " WHERE " + condition.sql;
  }
  std::string sql = fmt::format("DELETE FROM main.{} AS {}{}", table, target.sql_name, where);
  if (!from.empty()) {
    sql =
        fmt::format("DELETE FROM main.{} WHERE {} IN (SELECT {}.{}{} JOIN main.{} AS {}{})", table,
                    kRowColumn, target.sql_name, kRowColumn, from, table, target.sql_name, where);
  }
  std::vector<Write> writes;
  writes.push_back({Write::Kind::kDelete, std::move(sql)});
  return writes;
}

}  // namespace viv::engine::guest_sql
