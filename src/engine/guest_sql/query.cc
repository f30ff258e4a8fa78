// Queries as a whole: WITH, set operations, VALUES.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/depth_guard.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kValuesMax = 16'384;  // rows of one VALUES, as the product limits them

// SQLite knows no brackets around the parts of a set operation, but a subquery does the same.
std::string Bracketed(const std::string& sql) {
  return "SELECT * FROM (" + sql + ") AS `g$s`";
}

Status Combine(Query& left, Query right, std::string_view operation) {
  if (left.columns.size() != right.columns.size()) {
    return CompilationError(
        "001789 (42601)",
        fmt::format("invalid number of result columns for set operator input branches, expected "
                    "{}, got {} in branch {{2}}",
                    left.columns.size(), right.columns.size()));
  }
  for (std::size_t i = 0; i < left.columns.size(); ++i) {
    left.columns[i].type = CommonType(left.columns[i].type, right.columns[i].type);
  }
  if (left.has_tail) left.sql = Bracketed(left.sql);
  if (right.has_tail) right.sql = Bracketed(right.sql);
  left.has_tail = false;
  left.sql += fmt::format(" {} {}", operation, right.sql);
  if (left.sql.size() > kEmittedBytesMax) return TooComplex();
  return {};
}

}  // namespace

Result<Query> Translator::ReadQuery(const Scope* outer) {
  DepthGuard depth(context_);
  if (!depth.ok()) return TooComplex();
  const std::size_t outer_ctes = ctes_.size();
  RETURN_IF_ERROR(ReadCtes(outer));
  ASSIGN_OR_RETURN(Query query, ReadBody(outer, nullptr));
  std::string with;
  for (std::size_t i = outer_ctes; i < ctes_.size(); ++i) {
    with += fmt::format("{}{} AS ({})", with.empty() ? "WITH RECURSIVE " : ", ", ctes_[i].sql_name,
                        ctes_[i].sql);
  }
  if (!with.empty()) {
    query.sql = with + " " + query.sql;
    query.has_tail = true;  // nor may a part of a set operation begin with WITH
  }
  ctes_.resize(outer_ctes);
  if (query.sql.size() > kEmittedBytesMax) return TooComplex();
  return query;
}

Status Translator::ReadCtes(const Scope* outer) {
  if (!cursor_.AcceptWord("WITH")) return {};
  cursor_.AcceptWord("RECURSIVE");
  do {
    RETURN_IF_ERROR(ReadCte(outer));
  } while (cursor_.AcceptSymbol(","));
  return {};
}

Status Translator::ReadCte(const Scope* outer) {
  Cte& cte = ctes_.emplace_back();
  ASSIGN_OR_RETURN(cte.name, cursor_.Name());
  cte.sql_name = fmt::format("`c${}`", ++context_.names);
  if (cursor_.AcceptSymbol("(")) {
    do {
      ASSIGN_OR_RETURN(std::string column, cursor_.Name());
      cte.columns.push_back({std::move(column), {}});
    } while (cursor_.AcceptSymbol(","));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  }
  const std::size_t named = cte.columns.size();
  RETURN_IF_ERROR(cursor_.ExpectWord("AS"));
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  const std::size_t known = ctes_.size();
  RETURN_IF_ERROR(
      ReadCtes(outer));  // one of its own; the names are unique, so they may stand beside it
  ASSIGN_OR_RETURN(Query query, ReadBody(outer, &cte));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  std::string inner;
  for (std::size_t i = known; i < ctes_.size(); ++i) {
    inner += fmt::format("{}{} AS ({})", inner.empty() ? "WITH RECURSIVE " : ", ",
                         ctes_[i].sql_name, ctes_[i].sql);
  }
  ctes_.resize(known);
  if (named != 0 && named != query.columns.size()) {
    return CompilationError(
        "002057 (42601)",
        fmt::format("Common table expression '{}' names {} columns, its query has {}.",
                    DisplayName(cte.name), named, query.columns.size()));
  }
  std::string list;
  for (std::size_t i = 0; i < query.columns.size(); ++i) {
    if (i < named) query.columns[i].name = cte.columns[i].name;
    list += (i == 0 ? "" : ", ") + SqlName(query.columns[i].name);
  }
  cte.columns = std::move(query.columns);
  cte.columns_known = true;
  cte.sql = inner + (inner.empty() ? "" : " ") + query.sql;
  cte.sql_name += "(" + list + ")";
  return {};
}

Result<Query> Translator::ReadBody(const Scope* outer, Cte* self) {
  ASSIGN_OR_RETURN(Query query, ReadUnions(outer, self));
  // A lone SELECT has read its own tail; what stands here belongs to a set operation or to
  // brackets.
  ASSIGN_OR_RETURN(std::string tail, ReadTailOf(query));
  if (!tail.empty()) {
    query.sql = Bracketed(query.sql) + tail;
    query.has_tail = true;
  }
  return query;
}

Result<Query> Translator::ReadUnions(const Scope* outer, Cte* self) {
  ASSIGN_OR_RETURN(Query query, ReadIntersections(outer, Tail::kOwn));
  while (true) {
    std::string_view operation;
    if (cursor_.AcceptWord("UNION")) {
      operation = cursor_.AcceptWord("ALL") ? "UNION ALL" : "UNION";
      cursor_.AcceptWord("DISTINCT");
    } else if (cursor_.AcceptWord("EXCEPT") || cursor_.AcceptWord("MINUS")) {
      operation = "EXCEPT";
    } else {
      return query;
    }
    if (self != nullptr && !self->columns_known) {
      // From here on the query may read itself: its columns are those of its first part.
      self->columns.resize(query.columns.size());
      for (std::size_t i = 0; i < query.columns.size(); ++i) {
        if (self->columns[i].name.empty()) self->columns[i].name = query.columns[i].name;
        self->columns[i].type = query.columns[i].type;
      }
      self->columns_known = true;
    }
    ASSIGN_OR_RETURN(Query right, ReadIntersections(outer, Tail::kOfTheWhole));
    RETURN_IF_ERROR(Combine(query, std::move(right), operation));
  }
}

// INTERSECT binds tighter than the others; for SQLite all are alike, so it becomes a subquery.
Result<Query> Translator::ReadIntersections(const Scope* outer, Tail tail) {
  ASSIGN_OR_RETURN(Query query, ReadOperand(outer, tail));
  bool any = false;
  while (cursor_.AcceptWord("INTERSECT")) {
    any = true;
    ASSIGN_OR_RETURN(Query right, ReadOperand(outer, Tail::kOfTheWhole));
    RETURN_IF_ERROR(Combine(query, std::move(right), "INTERSECT"));
  }
  if (any) query.sql = Bracketed(query.sql);
  return query;
}

Result<Query> Translator::ReadOperand(const Scope* outer, Tail tail) {
  if (cursor_.IsWord("SELECT")) return ReadSelect(outer, tail);
  if (cursor_.IsWord("VALUES")) return ReadValues(outer);
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  ASSIGN_OR_RETURN(Query query, ReadQuery(outer));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  query.sql = Bracketed(query.sql);
  query.has_tail = false;
  return query;
}

Result<std::string> Translator::ReadTailOf(const Query& query) {
  Scope scope(nullptr);
  ScopeRelation result;
  SelectParts parts;
  for (const OutputColumn& column : query.columns) {
    result.columns.push_back({column.name, column.type, SqlName(column.name)});
    parts.items.push_back({SqlName(column.name), column});
  }
  scope.relations.push_back(std::move(result));
  ASSIGN_OR_RETURN(auto order, ReadOrder(scope, parts));
  ASSIGN_OR_RETURN(std::string limit, ReadLimit());
  std::string tail;
  for (const OrderItem& item : order)
    tail += (tail.empty() ? " ORDER BY " : ", ") + item.sql + item.direction;
  return tail + limit;
}

Result<Query> Translator::ReadValues(const Scope* outer) {
  RETURN_IF_ERROR(cursor_.ExpectWord("VALUES"));
  const Scope scope(outer);
  Query query;
  std::size_t rows = 0;
  do {
    if (++rows > kValuesMax) {
      return CompilationError(
          "001795 (42601)",
          fmt::format("maximum number of expressions in a list exceeded, expected "
                      "at most {}, got {}",
                      kValuesMax, rows));
    }
    RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
    std::string row;
    std::size_t count = 0;
    do {
      ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
      if (rows == 1) query.columns.push_back({fmt::format("COLUMN{}", count + 1), {}});
      if (count < query.columns.size()) {
        query.columns[count].type = CommonType(query.columns[count].type, value.type);
      }
      row += (count++ == 0 ? "" : ", ") + value.sql;
    } while (cursor_.AcceptSymbol(","));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
    if (count != query.columns.size()) {
      return InsertMismatch(query.columns.size(), count);
    }
    query.sql += (query.sql.empty() ? "VALUES (" : ", (") + row + ")";
  } while (cursor_.AcceptSymbol(","));
  return query;
}

}  // namespace viv::engine::guest_sql
