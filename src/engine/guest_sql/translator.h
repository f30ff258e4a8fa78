#pragma once
// Reads a guest statement and writes it anew for SQLite. One Translator reads one text; the query
// of a view is read by another one that shares its Context. Every method reads at the cursor and
// returns SQL of our own making, with what is known of its type. Split over files by what is read,
// as the comments below say.

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/cursor.h"
#include "engine/guest_sql/guest_sql.h"
#include "engine/guest_sql/scope.h"
#include "engine/guest_sql/types.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {

constexpr int kDepthMax = 100;     // of nested expressions and queries
constexpr int kViewDepthMax = 16;  // of views that read views
constexpr int kLookupsMax = 1000;  // of relations, over all views
constexpr std::size_t kEmittedBytesMax = std::size_t{4}
                                         << 20;  // views and aliases can multiply text

// Each guest table has a row number of ours, which the guest never sees.
constexpr std::string_view kRowColumn = "`g$row`";

struct Expression {
  std::string sql;
  Type type = {};
  bool is_literal = false;
  std::string name = {};  // a plain column's own name, which its result column keeps
  bool is_row = false;    // (a, b)
  std::string_view chain =
      {};  // "+" (also for -), "*" or "||": sql is a chain of these in one pair of brackets
};

// Every link of a chain copies what it has so far, so that its length is charged each time.
inline bool IsTooLong(const Expression& expression) {
  return expression.sql.size() > kEmittedBytesMax || !ChargeWork(expression.sql.size());
}

struct OutputColumn {
  std::string name;
  Type type;
};

struct Query {
  std::string sql;
  std::vector<OutputColumn> columns;
  bool has_tail = false;  // ends with ORDER BY or LIMIT, which no part of a set operation may
};

// What all texts of one statement share.
struct Context {
  explicit Context(Catalog& of) : catalog(of) {}

  Catalog& catalog;
  std::set<std::string> tables;              // ours, that the statement may touch
  std::vector<std::string> parameters;       // bound as ?1, ?2 …
  std::map<std::string, Query> information;  // INFORMATION_SCHEMA relations read so far
  std::vector<std::string> scanned;          // guest tables, for EXPLAIN
  int names = 0;                             // of common table expressions, so that each is unique
  int lookups = 0;
  int depth = 0;
  int view_depth = 0;
};

// One change of a table: what SQLite runs, in order. Which count each adds to is the caller's
// business.
struct Write {
  enum class Kind { kInsert, kUpdate, kDelete };
  Kind kind;
  std::string sql;
};

class Translator {
 public:
  Translator(Context& context, const Session& session, Cursor& cursor)
      : context_(context), session_(session), cursor_(cursor) {}

  // "SELECT", for messages of the form "Cannot perform SELECT."
  void set_verb(std::string_view verb) { verb_ = verb; }

  Result<Query> ReadQuery(const Scope* outer);  // WITH … SELECT … ORDER BY … LIMIT
  Result<Expression> ReadExpression(const Scope& scope);

  // Writes; write.cc and merge.cc.
  Result<std::vector<Write>> ReadInsert();
  Result<std::vector<Write>> ReadUpdate();
  Result<std::vector<Write>> ReadDelete();
  Result<std::vector<Write>> ReadMerge();

  // The name with all its parts, which exists as a schema at least.
  Result<ObjectName> Qualify(ObjectName name);
  Result<Relation> FindRelation(const ObjectName& name);  // of a qualified name

  // Fills a table's columns from a query whose columns stand in the same order as `targets`.
  Result<std::string> InsertFrom(const Relation& table,
                                 const std::vector<Column>& columns,
                                 const std::vector<std::size_t>& targets,
                                 const Query& source);
  // Gives a column that was just added its default in every row.
  Result<std::string> FillDefault(const Relation& table, const Column& column);
  // After that many rows were inserted: the identity columns they left out move on.
  Status AdvanceIdentities(std::int64_t rows);

 private:
  struct Cte {
    std::string name;
    std::string sql_name;
    std::string sql;  // its query, once read
    std::vector<OutputColumn> columns;
    bool columns_known = false;  // for a recursive one: after its first part
  };
  struct Item {
    std::string sql;
    OutputColumn column;
    bool has_aggregate = false;
  };
  static constexpr std::size_t kNoItem = static_cast<std::size_t>(-1);
  struct OrderItem {
    std::string sql;
    std::string direction;  // " DESC NULLS FIRST"
  };
  struct SelectParts {
    bool distinct = false;
    std::vector<Item> items;
    std::string from;
    std::string where;
    std::string group;
    std::string having;
    std::string qualify;
    std::string limit;
  };
  struct Target {  // the table a write changes
    Relation table;
    std::vector<Column> columns;
    ScopeRelation scope;
    std::string sql_name;
  };
  struct MergeParts {
    std::string source;  // what stands after JOIN
    std::string on;
    std::string before;          // true of the rows that were there at the start
    std::string matched_before;  // " AND …": what earlier clauses left
    std::string unmatched_before;
    std::vector<Write> inserts;
    std::vector<Write> deletes;
    std::vector<Write> updates;
  };
  struct PendingIdentity {
    ObjectName table;
    Column column;
  };
  struct RelationText {
    std::string sql;
    bool optional = false;  // FLATTEN(OUTER => TRUE): a row stays without a match
  };
  enum class Tail { kOwn, kOfTheWhole };  // whose ORDER BY and LIMIT follow a SELECT

  // query.cc
  Status ReadCtes(const Scope* outer);
  Status ReadCte(const Scope* outer);
  Result<Query> ReadBody(const Scope* outer, Cte* self);
  Result<Query> ReadUnions(const Scope* outer, Cte* self);
  Result<Query> ReadIntersections(const Scope* outer, Tail tail);
  Result<Query> ReadOperand(const Scope* outer, Tail tail);
  Result<std::string> ReadTailOf(const Query& query);
  Result<Query> ReadValues(const Scope* outer);

  // select.cc
  Result<Query> ReadSelect(const Scope* outer, Tail tail);
  Status ReadItems(Scope& scope, SelectParts& parts);
  Status ReadItem(Scope& scope, SelectParts& parts);
  Result<bool> ReadStar(const Scope& scope, SelectParts& parts);
  Status ReadClauses(Scope& scope, SelectParts& parts);
  Status ReadGroup(const Scope& scope, SelectParts& parts);
  Result<std::vector<OrderItem>> ReadOrder(const Scope& scope, const SelectParts& parts);
  Result<std::string> ReadDirection();
  Result<std::string> ReadLimit();
  static Query Compose(const SelectParts& parts, const std::vector<OrderItem>& order);
  std::size_t FindFrom() const;
  std::size_t FindItem(const std::vector<Item>& items) const;  // named by the token at the cursor

  // relation.cc
  Result<std::string> ReadFrom(Scope& scope);  // " FROM …"
  Result<std::string> ReadJoins(Scope& scope);
  Result<RelationText> ReadRelation(Scope& scope);
  Result<std::string> ReadNamed(Scope& scope);
  Result<std::string> ReadSubqueryRelation(Scope& scope);
  Result<RelationText> ReadTableFunction(Scope& scope);
  Result<RelationText> ReadFlatten(Scope& scope);
  Result<std::string> ReadGenerator(Scope& scope);
  Result<std::string> AddSubquery(Scope& scope, const Query& query, ScopeRelation relation);
  Result<std::string> AddTable(Scope& scope, const Relation& table, ScopeRelation relation);
  Result<Query> ExpandView(const Relation& view);
  Status ReadAlias(ScopeRelation& relation, std::vector<std::string>* columns);
  std::string NewName() { return fmt::format("`r${}`", ++context_.names); }

  // join.cc
  Result<std::string> ReadJoinKind();  // empty when no join follows
  Result<std::string> ReadCondition(Scope& scope,
                                    std::size_t left_relations,
                                    std::string_view kind);
  std::string JoinUsing(Scope& scope,
                        std::size_t left_relations,
                        const std::vector<std::string>& names,
                        std::string_view kind);

  // expression.cc
  Result<Expression> ReadOr(const Scope& scope);
  Result<Expression> ReadAnd(const Scope& scope);
  Result<Expression> ReadNot(const Scope& scope);
  Result<Expression> ReadAdditive(const Scope& scope);
  Result<Expression> ReadInterval(const Expression& left, bool minus);
  Result<Expression> ReadMultiplicative(const Scope& scope);
  Result<Expression> ReadUnary(const Scope& scope);
  Result<Expression> ReadPostfix(const Scope& scope);
  Result<Expression> ReadPath(Expression base, const Scope& scope);
  Result<Expression> ReadParenthesized(const Scope& scope);
  Result<Query> ReadSubquery(const Scope& scope);
  bool AtQuery(std::size_t ahead = 0) const;

  // predicate.cc
  Result<Expression> ReadComparison(const Scope& scope);
  Result<std::optional<Expression>> ReadPredicate(const Scope& scope, const Expression& left);
  Result<Expression> ReadOperator(const Scope& scope, Expression left, std::string operation);
  Result<Expression> ReadIs(const Scope& scope, Expression left);
  Result<Expression> ReadIn(const Scope& scope, const Expression& left);
  Result<Expression> ReadBetween(const Scope& scope, const Expression& left);
  Result<Expression> ReadLike(const Scope& scope, const Expression& left);

  // primary.cc
  Result<Expression> ReadPrimary(const Scope& scope);
  Result<Expression> ReadNumber();
  Result<Expression> ReadCase(const Scope& scope);
  Result<Expression> ReadColumn(const Scope& scope);
  Result<std::optional<Expression>> ReadWordValue();  // TRUE, CURRENT_DATE, DATE '…'
  Result<Expression> ReadArrayLiteral(const Scope& scope);
  Result<Expression> ReadObjectLiteral(const Scope& scope);

  // call.cc
  Result<Expression> ReadCall(const Scope& scope);
  Result<Expression> ReadListedCall(const std::string& name, const Scope& scope, std::size_t begin);
  Result<std::vector<Expression>> ReadArguments(
      const Scope& scope);  // after the bracket, which it closes
  Result<std::string> ReadOver(const Scope& scope,
                               std::string_view frame);  // " OVER (…)", or nothing
  Result<std::string> ReadFrame();
  Result<std::string> ReadWindowOrder(const Scope& scope);

  // special_call.cc: calls with a syntax of their own
  using SpecialCall = Result<Expression> (Translator::*)(const std::string& name,
                                                         const Scope& scope);
  static SpecialCall FindSpecialCall(std::string_view name);
  Result<Expression> ReadCast(const std::string& name, const Scope& scope);
  Result<Expression> ReadDateCall(const std::string& name, const Scope& scope);
  Result<Expression> ReadExtract(const std::string& name, const Scope& scope);
  Result<Expression> ReadPosition(const std::string& name, const Scope& scope);
  Result<Expression> ReadDecode(const std::string& name, const Scope& scope);
  Result<Expression> ReadToChar(const std::string& name, const Scope& scope);
  Result<Expression> ReadToNumber(const std::string& name, const Scope& scope);
  Result<Expression> ReadTruncate(const std::string& name, const Scope& scope);
  Result<Expression> ReadJsonCall(const std::string& name, const Scope& scope);
  Result<std::string> ReadDatePart();

  // aggregate_call.cc
  Result<Expression> ReadCount(const std::string& name, const Scope& scope);
  Result<Expression> ReadGathering(const std::string& name, const Scope& scope);
  Result<Expression> ReadPercentile(const std::string& name, const Scope& scope);
  Result<Expression> ReadRatio(const std::string& name, const Scope& scope);
  Result<std::pair<std::string, std::string>> ReadWithinGroup(
      const Scope& scope);  // directions, keys

  // write.cc
  Result<Target> ReadTarget();
  Result<std::vector<std::size_t>> ReadColumnList(const Target& target);
  Result<Query> ReadInsertRows(const Target& target, const std::vector<std::size_t>& targets);
  Result<std::string> ReadAssignments(const Scope& scope, const Target& target);
  Result<std::string> DefaultOf(const Column& column);

  // merge.cc
  Status ReadMergeClause(const Scope& scope, const Target& target, MergeParts& parts);
  Status ReadMatched(const Scope& scope,
                     const Target& target,
                     const std::string& test,
                     MergeParts& parts);
  Status ReadNotMatched(const Scope& scope,
                        const Target& target,
                        const std::string& test,
                        MergeParts& parts);

  Context& context_;
  const Session& session_;
  Cursor& cursor_;
  std::string_view verb_ = "SELECT";
  std::deque<Cte> ctes_;  // a deque, as one being read is referred to
  int aggregates_ = 0;    // read so far in the query being read
  std::vector<PendingIdentity> identities_;
};

// Text that both sides of a comparison can be compared as; casts what the product would cast.
void AlignTypes(Expression& left, Expression& right);
// `value` as the given type.
std::string CastSql(const Expression& value, const Type& type, bool lenient);
// As text the way the product prints it: booleans as true and false, NUMBER(10,2) with two digits.
std::string AsText(const Expression& value);
// The value tagged with its kind, for functions that build JSON.
std::string Tagged(const Expression& value);

}  // namespace viv::engine::guest_sql
