// What FROM reads: tables, views, subqueries, table functions. Each gets a name of our own in the
// emitted SQL, so that the guest's aliases never meet SQLite's rules for names.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/depth_guard.h"
#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/information_schema.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kRelationsMax = 60;  // SQLite joins at most 64

}  // namespace

Result<ObjectName> Translator::Qualify(ObjectName name) {
  const bool own_database = name.database.empty();
  if (own_database) name.database = session_.database;
  if (name.database.empty()) return NoCurrentDatabase(verb_);
  ASSIGN_OR_RETURN(bool has_database, context_.catalog.HasDatabase(name.database));
  if (!has_database && own_database) return NoCurrentDatabase(verb_);
  if (!has_database) return DatabaseMissing(DisplayName(name.database));
  const bool own_schema = name.schema.empty();
  if (own_schema) name.schema = session_.schema;
  if (name.schema.empty()) return NoCurrentSchema(verb_);
  ASSIGN_OR_RETURN(bool has_schema, context_.catalog.HasSchema(name.database, name.schema));
  if (!has_schema && own_schema) return NoCurrentSchema(verb_);
  if (!has_schema)
    return SchemaMissing(DisplayName(name.database) + "." + DisplayName(name.schema));
  return name;
}

Result<Relation> Translator::FindRelation(const ObjectName& name) {
  ASSIGN_OR_RETURN(ObjectName qualified, Qualify(name));
  ASSIGN_OR_RETURN(auto found, context_.catalog.Find(qualified));
  // A table of ours always has our prefix; a catalogue that says otherwise shall not open another
  // table.
  const bool ours = found && (found->is_view || found->physical.starts_with("g$"));
  if (!ours) return ObjectMissing(DisplayName(name));
  return *std::move(found);
}

Result<std::string> Translator::ReadFrom(Scope& scope) {
  std::string from = " FROM ";
  bool first = true;
  do {
    ASSIGN_OR_RETURN(RelationText relation, ReadRelation(scope));
    if (first) {
      from += relation.sql;
    } else {
      from += relation.optional ? fmt::format(" LEFT JOIN {} ON TRUE", relation.sql)
                                : " JOIN " + relation.sql;
    }
    first = false;
    ASSIGN_OR_RETURN(std::string joins, ReadJoins(scope));
    from += joins;
  } while (cursor_.AcceptSymbol(","));
  return from;
}

Result<std::string> Translator::ReadJoins(Scope& scope) {
  std::string joins;
  while (true) {
    ASSIGN_OR_RETURN(std::string kind, ReadJoinKind());
    if (kind.empty()) return joins;
    const std::size_t left_relations = scope.relations.size();
    ASSIGN_OR_RETURN(RelationText relation, ReadRelation(scope));
    ASSIGN_OR_RETURN(std::string condition, ReadCondition(scope, left_relations, kind));
    if (kind == "NATURAL") kind = "JOIN";
    if (kind.starts_with("NATURAL ")) kind = kind.substr(8) + " JOIN";
    // In SQLite CROSS also forbids a better order of the joins.
    if (kind == "CROSS JOIN") kind = "JOIN";
    if (kind == "JOIN" && relation.optional) {
      kind = "LEFT JOIN";
      if (condition.empty()) condition = " ON TRUE";
    }
    joins += fmt::format(" {} {}{}", kind, relation.sql, condition);
  }
}

Result<Translator::RelationText> Translator::ReadRelation(Scope& scope) {
  DepthGuard depth(context_);
  if (!depth.ok() || scope.relations.size() > kRelationsMax || ++context_.lookups > kLookupsMax)
    return TooComplex();
  cursor_.AcceptWord("LATERAL");
  if (cursor_.IsWord("TABLE") || (cursor_.IsWord("FLATTEN") && cursor_.IsSymbol("(", 1))) {
    return ReadTableFunction(scope);
  }
  RelationText text;
  if (cursor_.IsSymbol("(") || cursor_.IsWord("VALUES")) {
    ASSIGN_OR_RETURN(text.sql, ReadSubqueryRelation(scope));
  } else {
    ASSIGN_OR_RETURN(text.sql, ReadNamed(scope));
  }
  for (std::string_view word : {"SAMPLE", "TABLESAMPLE", "PIVOT", "UNPIVOT", "MATCH_RECOGNIZE"}) {
    if (cursor_.IsWord(word)) return Unsupported(word);
  }
  return text;
}

// `(SELECT …) [AS] t [(a, b)]`, `(VALUES …) …`, or a join in brackets.
Result<std::string> Translator::ReadSubqueryRelation(Scope& scope) {
  const bool bracket = cursor_.AcceptSymbol("(");
  std::size_t nested = 0;
  while (cursor_.IsSymbol("(", nested)) ++nested;
  if (bracket && !AtQuery(nested)) {
    ASSIGN_OR_RETURN(RelationText first, ReadRelation(scope));
    ASSIGN_OR_RETURN(std::string joins, ReadJoins(scope));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
    return "(" + first.sql + joins + ")";
  }
  Query query;
  if (bracket) {
    ASSIGN_OR_RETURN(query, ReadQuery(nullptr));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  } else {
    ASSIGN_OR_RETURN(query, ReadValues(nullptr));
  }
  return AddSubquery(scope, query, {});
}

Result<std::string> Translator::AddSubquery(Scope& scope,
                                            const Query& query,
                                            ScopeRelation relation) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(ReadAlias(relation, &names));
  const std::string own = NewName();
  for (std::size_t i = 0; i < query.columns.size(); ++i) {
    const OutputColumn& column = query.columns[i];
    const std::string& name = i < names.size() ? names[i] : column.name;
    relation.columns.push_back({name, column.type, own + "." + SqlName(column.name)});
  }
  scope.relations.push_back(std::move(relation));
  return fmt::format("({}) AS {}", query.sql, own);
}

Result<std::string> Translator::AddTable(Scope& scope,
                                         const Relation& table,
                                         ScopeRelation relation) {
  ASSIGN_OR_RETURN(auto columns, context_.catalog.Columns(table.name));
  const std::string own = NewName();
  for (const Column& column : columns) {
    relation.columns.push_back({column.name, column.type(), own + "." + SqlName(column.name)});
  }
  scope.relations.push_back(std::move(relation));
  context_.tables.insert(table.physical);
  context_.scanned.push_back(DisplayName(table.name));
  return fmt::format("main.{} AS {}", SqlName(table.physical), own);
}

Result<std::string> Translator::ReadNamed(Scope& scope) {
  const std::size_t begin = cursor_.place();
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  if (cursor_.IsSymbol("("))
    return UnknownFunction(FoldName(cursor_.Slice(begin, cursor_.place())));
  if (cursor_.IsWord("AT") && cursor_.IsSymbol("(", 1)) return Unsupported("TIME TRAVEL");
  ScopeRelation relation;
  relation.alias = name.name;
  for (std::size_t i = ctes_.size(); i-- > 0 && name.schema.empty();) {
    const Cte& cte = ctes_[i];
    if (cte.name != name.name || !cte.columns_known) continue;
    RETURN_IF_ERROR(ReadAlias(relation, nullptr));
    const std::string own = NewName();
    for (const OutputColumn& column : cte.columns) {
      relation.columns.push_back({column.name, column.type, own + "." + SqlName(column.name)});
    }
    scope.relations.push_back(std::move(relation));
    return fmt::format("{} AS {}", cte.sql_name.substr(0, cte.sql_name.find('(')), own);
  }
  if (name.schema == kInformationSchema) {
    ASSIGN_OR_RETURN(ObjectName qualified, Qualify(name));
    ASSIGN_OR_RETURN(auto query,
                     ReadInformationSchema(context_, qualified.database, qualified.name));
    if (!query) return ObjectMissing(DisplayName(name));
    return AddSubquery(scope, *query, std::move(relation));
  }
  ASSIGN_OR_RETURN(Relation found, FindRelation(name));
  relation.object = found.name;
  if (found.is_view) {
    ASSIGN_OR_RETURN(Query query, ExpandView(found));
    return AddSubquery(scope, query, std::move(relation));
  }
  RETURN_IF_ERROR(ReadAlias(relation, nullptr));
  return AddTable(scope, found, std::move(relation));
}

// A view is its text, read anew where it is used, in the database and schema it was made in.
Result<Query> Translator::ExpandView(const Relation& view) {
  if (context_.view_depth >= kViewDepthMax) return TooComplex();
  auto tokens = Tokenize(view.definition);
  if (!tokens) return PassUp(tokens.error());
  Session session = session_;
  session.database = view.name.database;
  session.schema = view.name.schema;
  Cursor cursor(view.definition, *tokens);
  Translator inner(context_, session, cursor);
  ++context_.view_depth;
  auto query = inner.ReadQuery(nullptr);
  --context_.view_depth;
  if (!query) {
    return CompilationError("002037 (42601)",
                            fmt::format("Failure during expansion of view '{}': {}",
                                        DisplayName(view.name.name), query.error().message));
  }
  ASSIGN_OR_RETURN(auto columns, context_.catalog.Columns(view.name));
  if (columns.size() != query->columns.size()) {
    return CompilationError(
        "002057 (42601)",
        fmt::format("View definition for '{}' declared {} column(s), but view "
                    "query produces {} column(s).",
                    DisplayName(view.name), columns.size(), query->columns.size()));
  }
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    list += (i == 0 ? "" : ", ") + SqlName(columns[i].name);
    query->columns[i].name = columns[i].name;
  }
  const std::string name = fmt::format("`v${}`", ++context_.names);
  query->sql = fmt::format("WITH {}({}) AS ({}) SELECT * FROM {}", name, list, query->sql, name);
  return query;
}

Status Translator::ReadAlias(ScopeRelation& relation, std::vector<std::string>* columns) {
  const bool as = cursor_.AcceptWord("AS");
  if (!as && !cursor_.IsName()) return {};
  // Words that may follow a relation and are not reserved.
  for (std::string_view word : {"ASOF", "WINDOW", "START", "MATCH_RECOGNIZE", "AT", "BEFORE"}) {
    if (!as && cursor_.IsWord(word)) return {};
  }
  ASSIGN_OR_RETURN(relation.alias, cursor_.Name());
  relation.object.reset();
  if (columns == nullptr || !cursor_.AcceptSymbol("(")) return {};
  do {
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    columns->push_back(std::move(name));
  } while (cursor_.AcceptSymbol(","));
  return cursor_.ExpectSymbol(")");
}

Result<Translator::RelationText> Translator::ReadTableFunction(Scope& scope) {
  const bool wrapped = cursor_.AcceptWord("TABLE");
  if (wrapped) RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  RelationText text;
  if (cursor_.IsWord("FLATTEN") && cursor_.IsSymbol("(", 1)) {
    ASSIGN_OR_RETURN(text, ReadFlatten(scope));
  } else if (cursor_.IsWord("GENERATOR") && cursor_.IsSymbol("(", 1)) {
    ASSIGN_OR_RETURN(text.sql, ReadGenerator(scope));
  } else {
    return Unsupported("TABLE FUNCTION " + cursor_.Peek().text);
  }
  if (wrapped) RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  std::vector<std::string> names;
  ScopeRelation& relation = scope.relations.back();
  RETURN_IF_ERROR(ReadAlias(relation, &names));
  for (std::size_t i = 0; i < names.size() && i < relation.columns.size(); ++i)
    relation.columns[i].name = names[i];
  return text;
}

// FLATTEN is SQLite's json_each, which may refer to the relations before it just so.
Result<Translator::RelationText> Translator::ReadFlatten(Scope& scope) {
  cursor_.MoveTo(cursor_.place() + 2);
  RelationText text;
  Expression input;
  do {
    std::string option = "INPUT";
    if (cursor_.IsSymbol("=>", 1)) {
      option = cursor_.Next().text;
      cursor_.Next();
    }
    ASSIGN_OR_RETURN(Expression value, ReadExpression(scope));
    if (option == "INPUT") input = std::move(value);
    if (option == "OUTER") text.optional = value.sql == "1";
    if (option == "PATH") input.sql = fmt::format("g$get_path({}, {})", input.sql, value.sql);
    if (option == "RECURSIVE" && value.sql == "1") return Unsupported("FLATTEN RECURSIVE");
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  if (input.sql.empty()) return cursor_.Unexpected();
  const std::string own = NewName();
  ScopeRelation relation;
  relation.alias = "FLATTEN";
  relation.columns = {
      {"SEQ", Number(0), "1"},  // of the input row; each is flattened by itself
      {"KEY", Of(Kind::kText), fmt::format("iif(typeof({0}.key) = 'text', {0}.key, NULL)", own)},
      {"PATH", Of(Kind::kText),
       fmt::format("substr({0}.fullkey, 3 - (substr({0}.fullkey, 2, 1) = '['))", own)},
      {"INDEX", Number(0), fmt::format("iif(typeof({0}.key) = 'integer', {0}.key, NULL)", own)},
      {"VALUE", Of(Kind::kVariant), own + ".value"},
      {"THIS", Of(Kind::kVariant), own + ".json"}};
  scope.relations.push_back(std::move(relation));
  context_.tables.insert("json_each");
  text.sql = fmt::format("json_each(g$flat({})) AS {}", input.sql, own);
  return text;
}

Result<std::string> Translator::ReadGenerator(Scope& scope) {
  cursor_.MoveTo(cursor_.place() + 2);
  RETURN_IF_ERROR(cursor_.ExpectWord("ROWCOUNT"));
  RETURN_IF_ERROR(cursor_.ExpectSymbol("=>"));
  ASSIGN_OR_RETURN(Expression rows, ReadExpression(scope));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  scope.relations.push_back({"GENERATOR", std::nullopt, {}});
  context_.tables.insert("json_each");
  return fmt::format("json_each(g$range({})) AS {}", rows.sql, NewName());
}

}  // namespace viv::engine::guest_sql
