// One SELECT: its list, its clauses, and the composition for SQLite.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "engine/guest_sql/depth_guard.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kItemsMax = 1000;

// Words that end the select list of a query without FROM.
bool EndsSelect(const Token& token) {
  static constexpr std::string_view kEnds[] = {"WHERE", "GROUP",     "HAVING", "QUALIFY",
                                               "ORDER", "LIMIT",     "FETCH",  "OFFSET",
                                               "UNION", "INTERSECT", "MINUS",  "EXCEPT"};
  if (token.kind == TokenKind::kEnd || token.IsSymbol(";")) return true;
  return token.kind == TokenKind::kWord &&
         std::find(std::begin(kEnds), std::end(kEnds), token.text) != std::end(kEnds);
}

// SQLite would take any row's value for a column that is neither grouped by nor aggregated; the
// product refuses.
template <typename Items>
Status CheckGrouping(const Scope& scope,
                     const Items& items,
                     const std::vector<std::string>& terms) {
  auto grouped = [&](const std::string& sql, std::size_t position) {
    return std::any_of(terms.begin(), terms.end(), [&](const std::string& term) {
      return term == sql || term == "(" + sql + ")" || term == std::to_string(position);
    });
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const ScopeRelation& relation : scope.relations) {
      for (const ScopeColumn& column : relation.columns) {
        if (column.sql != items[i].sql || grouped(column.sql, i + 1)) continue;
        return CompilationError("000979 (42601)",
                                fmt::format("[{}.{}] is not a valid group by expression",
                                            DisplayName(relation.alias), DisplayName(column.name)));
      }
    }
  }
  return {};
}

bool EndsOrderTerm(const Token& token) {
  static constexpr std::string_view kEnds[] = {"ASC", "DESC", "NULLS", "LIMIT", "OFFSET", "FETCH"};
  if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kSymbol) {
    return token.text.empty() || token.text == "," || token.text == ")" || token.text == ";";
  }
  return token.kind == TokenKind::kWord &&
         std::find(std::begin(kEnds), std::end(kEnds), token.text) != std::end(kEnds);
}

}  // namespace

// Where the FROM of the select list at the cursor stands, or where the list ends.
std::size_t Translator::FindFrom() const {
  int depth = 0;
  for (std::size_t ahead = 0;; ++ahead) {
    const Token& token = cursor_.Peek(ahead);
    if (token.kind == TokenKind::kEnd) return cursor_.place() + ahead;
    if (token.IsSymbol("(")) ++depth;
    if (token.IsSymbol(")") && --depth < 0) return cursor_.place() + ahead;
    if (depth > 0) continue;
    // `IS [NOT] DISTINCT FROM` is no clause.
    if (token.IsWord("FROM") && !(ahead > 1 && cursor_.IsWord("DISTINCT", ahead - 1)))
      return cursor_.place() + ahead;
    // Nor is `WITHIN GROUP`.
    if (EndsSelect(token) && !(ahead > 0 && cursor_.IsWord("WITHIN", ahead - 1)))
      return cursor_.place() + ahead;
  }
}

Result<Query> Translator::ReadSelect(const Scope* outer, Tail tail) {
  DepthGuard depth(context_);
  if (!depth.ok()) return TooComplex();
  RETURN_IF_ERROR(cursor_.ExpectWord("SELECT"));
  const int outer_aggregates = std::exchange(aggregates_, 0);
  Scope scope(outer);
  SelectParts parts;
  parts.distinct = cursor_.AcceptWord("DISTINCT");
  if (!parts.distinct) cursor_.AcceptWord("ALL");
  if (cursor_.IsWord("TOP") && cursor_.Peek(1).kind == TokenKind::kNumber) {
    cursor_.Next();
    parts.limit = " LIMIT " + cursor_.Next().text;
  }
  // FROM first: the select list is read knowing every column.
  const std::size_t list = cursor_.place();
  cursor_.MoveTo(FindFrom());
  if (cursor_.AcceptWord("FROM")) {
    ASSIGN_OR_RETURN(parts.from, ReadFrom(scope));
  }
  const std::size_t after = cursor_.place();
  cursor_.MoveTo(list);
  RETURN_IF_ERROR(ReadItems(scope, parts));
  if (!cursor_.IsWord("FROM") && cursor_.place() != after) return cursor_.Unexpected();
  cursor_.MoveTo(after);
  RETURN_IF_ERROR(ReadClauses(scope, parts));
  std::vector<OrderItem> order;
  if (tail == Tail::kOwn) {
    ASSIGN_OR_RETURN(order, ReadOrder(scope, parts));
    ASSIGN_OR_RETURN(std::string limit, ReadLimit());
    if (!limit.empty()) parts.limit = std::move(limit);
  }
  aggregates_ = outer_aggregates;
  return Compose(parts, order);
}

Status Translator::ReadItems(Scope& scope, SelectParts& parts) {
  do {
    RETURN_IF_ERROR(ReadItem(scope, parts));
    if (parts.items.size() > kItemsMax) return TooComplex();
  } while (cursor_.AcceptSymbol(","));
  return {};
}

Status Translator::ReadItem(Scope& scope, SelectParts& parts) {
  ASSIGN_OR_RETURN(bool star, ReadStar(scope, parts));
  if (star) return {};
  const std::size_t begin = cursor_.place();
  const int aggregates = aggregates_;
  ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
  Item item{value.sql, {value.name, value.type}, aggregates_ != aggregates};
  if (value.name.empty()) item.column.name = FoldName(cursor_.Slice(begin, cursor_.place()));
  if (cursor_.AcceptWord("AS") || cursor_.IsName()) {
    ASSIGN_OR_RETURN(item.column.name, cursor_.Name());
  }
  if (item.column.name != value.name)
    scope.aliases.push_back({item.column.name, item.sql, item.column.type});
  parts.items.push_back(std::move(item));
  return {};
}

// `*` and `t.*`, with EXCLUDE, written out: the columns we store beside the guest's never show.
Result<bool> Translator::ReadStar(const Scope& scope, SelectParts& parts) {
  std::size_t ahead = 0;
  std::vector<std::string> path;
  while (cursor_.IsName(ahead) && cursor_.IsSymbol(".", ahead + 1) && path.size() < 3) {
    path.push_back(cursor_.Peek(ahead).text);
    ahead += 2;
  }
  if (!cursor_.IsSymbol("*", ahead)) return false;
  const Token at = cursor_.Peek();
  cursor_.MoveTo(cursor_.place() + ahead + 1);
  std::vector<std::string> excluded;
  if (cursor_.AcceptWord("EXCLUDE")) {
    const bool list = cursor_.AcceptSymbol("(");
    do {
      ASSIGN_OR_RETURN(std::string name, cursor_.Name());
      excluded.push_back(std::move(name));
    } while (list && cursor_.AcceptSymbol(","));
    if (list) RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  }
  const ScopeRelation* only = path.empty() ? nullptr : scope.FindRelation(path);
  if (!path.empty() && only == nullptr) return InvalidIdentifier(at, DisplayName(path.back()));
  if (scope.relations.empty()) return CompilationError("002080 (42601)", "SELECT with no columns");
  for (const ScopeRelation& relation : scope.relations) {
    if (only != nullptr && only != &relation) continue;
    for (const ScopeColumn& column : relation.columns) {
      if (column.merged && only == nullptr) continue;
      if (std::find(excluded.begin(), excluded.end(), column.name) != excluded.end()) continue;
      parts.items.push_back({column.sql, {column.name, column.type}, false});
    }
  }
  if (parts.items.empty()) return CompilationError("002080 (42601)", "SELECT with no columns");
  return true;
}

Status Translator::ReadClauses(Scope& scope, SelectParts& parts) {
  if (cursor_.AcceptWord("WHERE")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    parts.where = " WHERE " + condition.sql;
  }
  if (cursor_.IsWord("CONNECT") || cursor_.IsWord("START")) return Unsupported("CONNECT BY");
  auto aggregates = [](const Item& item) { return item.has_aggregate; };
  if (cursor_.AcceptWords("GROUP", "BY")) {
    RETURN_IF_ERROR(ReadGroup(scope, parts));
  } else if (std::any_of(parts.items.begin(), parts.items.end(), aggregates)) {
    RETURN_IF_ERROR(CheckGrouping(scope, parts.items, {}));
  }
  if (cursor_.AcceptWord("HAVING")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    parts.having = " HAVING " + condition.sql;
  }
  if (cursor_.AcceptWord("QUALIFY")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    parts.qualify = std::move(condition.sql);
  }
  return {};
}

Status Translator::ReadGroup(const Scope& scope, SelectParts& parts) {
  std::vector<std::string> terms;
  if (cursor_.AcceptWord("ALL")) {
    for (std::size_t i = 0; i < parts.items.size(); ++i) {
      if (!parts.items[i].has_aggregate) terms.push_back(std::to_string(i + 1));
    }
  } else {
    do {
      for (std::string_view word : {"ROLLUP", "CUBE", "GROUPING"}) {
        if (cursor_.IsWord(word)) return Unsupported(fmt::format("GROUP BY {}", word));
      }
      ASSIGN_OR_RETURN(Expression term, ReadExpression(scope));
      terms.push_back(std::move(term.sql));
    } while (cursor_.AcceptSymbol(","));
  }
  RETURN_IF_ERROR(CheckGrouping(scope, parts.items, terms));
  if (!terms.empty()) parts.group = fmt::format(" GROUP BY {}", fmt::join(terms, ", "));
  return {};
}

// The product puts NULLs last when ascending and first when descending; SQLite the other way round.
Result<std::string> Translator::ReadDirection() {
  bool descending = cursor_.AcceptWord("DESC");
  if (!descending) cursor_.AcceptWord("ASC");
  bool nulls_first = descending;
  if (cursor_.AcceptWord("NULLS")) {
    nulls_first = cursor_.AcceptWord("FIRST");
    if (!nulls_first) RETURN_IF_ERROR(cursor_.ExpectWord("LAST"));
  }
  return fmt::format("{} NULLS {}", descending ? " DESC" : "", nulls_first ? "FIRST" : "LAST");
}

std::size_t Translator::FindItem(const std::vector<Item>& items) const {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].column.name == cursor_.Peek().text) return i;
  }
  return kNoItem;
}

Result<std::vector<Translator::OrderItem>> Translator::ReadOrder(const Scope& scope,
                                                                 const SelectParts& parts) {
  std::vector<OrderItem> order;
  if (!cursor_.AcceptWords("ORDER", "BY")) return order;
  do {
    OrderItem item;
    // A term that is just a result column's name means that column, even where a table has one of
    // the same name.
    const std::size_t result =
        cursor_.IsName() && EndsOrderTerm(cursor_.Peek(1)) ? FindItem(parts.items) : kNoItem;
    if (result != kNoItem) {
      cursor_.Next();
      item.sql = std::to_string(result + 1);
    } else {
      ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
      item.sql = std::move(value.sql);
    }
    ASSIGN_OR_RETURN(item.direction, ReadDirection());
    order.push_back(std::move(item));
  } while (cursor_.AcceptSymbol(","));
  return order;
}

Result<std::string> Translator::ReadLimit() {
  std::string limit;
  std::string offset;
  auto number = [&]() -> Result<std::string> {
    if (cursor_.AcceptWord("NULL")) return std::string("-1");
    if (cursor_.Peek().kind != TokenKind::kNumber) return cursor_.Unexpected();
    return cursor_.Next().text;
  };
  if (cursor_.AcceptWord("LIMIT")) {
    ASSIGN_OR_RETURN(limit, number());
  }
  if (cursor_.AcceptWord("OFFSET")) {
    ASSIGN_OR_RETURN(offset, number());
    if (!cursor_.AcceptWord("ROWS")) cursor_.AcceptWord("ROW");
  }
  if (cursor_.AcceptWord("FETCH")) {
    if (!cursor_.AcceptWord("FIRST")) cursor_.AcceptWord("NEXT");
    ASSIGN_OR_RETURN(limit, number());
    if (!cursor_.AcceptWord("ROWS")) cursor_.AcceptWord("ROW");
    cursor_.AcceptWord("ONLY");
  }
  if (limit.empty() && offset.empty()) return std::string();
  return fmt::format(" LIMIT {}{}", limit.empty() ? "-1" : limit,
                     offset.empty() ? "" : " OFFSET " + offset);
}

Query Translator::Compose(const SelectParts& parts, const std::vector<OrderItem>& order) {
  Query query;
  query.has_tail = !order.empty() || !parts.limit.empty();
  const bool qualify = !parts.qualify.empty();
  std::vector<std::string> inner;
  std::vector<std::string> outer;
  for (std::size_t i = 0; i < parts.items.size(); ++i) {
    const Item& item = parts.items[i];
    const std::string name = qualify ? fmt::format("`g${}`", i + 1) : SqlName(item.column.name);
    inner.push_back(fmt::format("{} AS {}", item.sql, name));
    outer.push_back(fmt::format("{} AS {}", name, SqlName(item.column.name)));
    query.columns.push_back(item.column);
  }
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool ordinal = order[i].sql.find_first_not_of("0123456789") == std::string::npos;
    std::string term = order[i].sql;
    if (qualify && !ordinal) {
      term = fmt::format("`g$o{}`", i);
      inner.push_back(fmt::format("{} AS {}", order[i].sql, term));
    }
    terms.push_back(term + order[i].direction);
  }
  if (qualify) inner.push_back(fmt::format("{} AS `g$q`", parts.qualify));
  std::string_view distinct = parts.distinct ? "DISTINCT " : "";
  query.sql = fmt::format("SELECT {}{}{}{}{}{}", qualify ? "" : distinct, fmt::join(inner, ", "),
                          parts.from, parts.where, parts.group, parts.having);
  // QUALIFY filters by window functions, which SQLite computes only after WHERE: hence a query
  // around it.
  if (qualify) {
    query.sql = fmt::format("SELECT {}{} FROM ({}) WHERE `g$q`", distinct, fmt::join(outer, ", "),
                            query.sql);
  }
  if (!terms.empty()) query.sql += fmt::format(" ORDER BY {}", fmt::join(terms, ", "));
  query.sql += parts.limit;
  return query;
}

}  // namespace viv::engine::guest_sql
