// MERGE as an insert, deletes and updates. The insert comes first, as it must see the table as it
// was; the rows it adds have higher numbers than any before, by which the others leave them alone.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

Result<std::vector<Write>> Translator::ReadMerge() {
  RETURN_IF_ERROR(cursor_.ExpectWord("MERGE"));
  RETURN_IF_ERROR(cursor_.ExpectWord("INTO"));
  ASSIGN_OR_RETURN(Target target, ReadTarget());
  RETURN_IF_ERROR(ReadAlias(target.scope, nullptr));
  RETURN_IF_ERROR(cursor_.ExpectWord("USING"));
  Scope scope(nullptr);
  MergeParts parts;
  ASSIGN_OR_RETURN(RelationText source, ReadRelation(scope));
  parts.source = std::move(source.sql);
  scope.relations.insert(scope.relations.begin(), target.scope);
  RETURN_IF_ERROR(cursor_.ExpectWord("ON"));
  ASSIGN_OR_RETURN(Expression on, ReadExpression(scope));
  parts.on = std::move(on.sql);
  ASSIGN_OR_RETURN(db::Statement last, context_.catalog.Prepare(fmt::format(
                                           "SELECT coalesce(max({}), 0) FROM main.{}", kRowColumn,
                                           SqlName(target.table.physical))));
  RETURN_IF_ERROR(last.Step());
  parts.before = fmt::format("{}.{} <= {}", target.sql_name, kRowColumn, last.Integer(0));
  if (!cursor_.IsWord("WHEN")) return cursor_.Unexpected();
  while (cursor_.AcceptWord("WHEN")) RETURN_IF_ERROR(ReadMergeClause(scope, target, parts));
  std::vector<Write> writes = std::move(parts.inserts);
  for (auto* more : {&parts.deletes, &parts.updates}) {
    for (Write& write : *more) writes.push_back(std::move(write));
  }
  return writes;
}

Status Translator::ReadMergeClause(const Scope& scope, const Target& target, MergeParts& parts) {
  const bool matched = !cursor_.AcceptWord("NOT");
  RETURN_IF_ERROR(cursor_.ExpectWord("MATCHED"));
  std::string condition = "TRUE";
  if (cursor_.AcceptWord("AND")) {
    ASSIGN_OR_RETURN(Expression read, ReadExpression(scope));
    condition = std::move(read.sql);
  }
  RETURN_IF_ERROR(cursor_.ExpectWord("THEN"));
  // Each clause takes only what the earlier ones of its kind left.
  std::string& taken = matched ? parts.matched_before : parts.unmatched_before;
  const std::string test = condition + taken;
  taken += fmt::format(" AND ({}) IS NOT TRUE", condition);
  if (test.size() > kEmittedBytesMax) return TooComplex();
  return matched ? ReadMatched(scope, target, test, parts)
                 : ReadNotMatched(scope, target, test, parts);
}

Status Translator::ReadMatched(const Scope& scope,
                               const Target& target,
                               const std::string& test,
                               MergeParts& parts) {
  const std::string table = SqlName(target.table.physical);
  if (cursor_.AcceptWord("DELETE")) {
    parts.deletes.push_back(
        {Write::Kind::kDelete,
         fmt::format("DELETE FROM main.{} WHERE {} IN (SELECT {}.{} FROM main.{} AS {} JOIN {} ON "
                     "{} WHERE {} AND {})",
                     table, kRowColumn, target.sql_name, kRowColumn, table, target.sql_name,
                     parts.source, parts.on, parts.before, test)});
    return {};
  }
  RETURN_IF_ERROR(cursor_.ExpectWord("UPDATE"));
  RETURN_IF_ERROR(cursor_.ExpectWord("SET"));
  ASSIGN_OR_RETURN(std::string set, ReadAssignments(scope, target));
  parts.updates.push_back(
      {Write::Kind::kUpdate,
       fmt::format("UPDATE main.{} AS {} SET {} FROM {} WHERE {} AND {} AND {}", table,
                   target.sql_name, set, parts.source, parts.on, parts.before, test)});
  return {};
}

Status Translator::ReadNotMatched(const Scope& scope,
                                  const Target& target,
                                  const std::string& test,
                                  MergeParts& parts) {
  RETURN_IF_ERROR(cursor_.ExpectWord("INSERT"));
  ASSIGN_OR_RETURN(auto targets, ReadColumnList(target));
  RETURN_IF_ERROR(cursor_.ExpectWord("VALUES"));
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  // Here only the source has a row.
  Scope source(nullptr);
  source.relations.assign(scope.relations.begin() + 1, scope.relations.end());
  ASSIGN_OR_RETURN(auto values, ReadArguments(source));
  Query query;
  std::string list;
  for (const Expression& value : values) {
    list += (list.empty() ? "" : ", ") + value.sql;
    query.columns.push_back({"", value.type});
  }
  query.sql = fmt::format(
      "SELECT {} FROM {} WHERE NOT EXISTS (SELECT 1 FROM main.{} AS {} WHERE {}) AND {}", list,
      parts.source, SqlName(target.table.physical), target.sql_name, parts.on, test);
  ASSIGN_OR_RETURN(std::string sql, InsertFrom(target.table, target.columns, targets, query));
  parts.inserts.push_back({Write::Kind::kInsert, std::move(sql)});
  return {};
}

}  // namespace viv::engine::guest_sql
