// Which statement it is; queries, writes and EXPLAIN.
#include "engine/guest_sql/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/guest_sql/errors.h"

namespace viv::engine::guest_sql {
namespace {

// Statements of the product that have no meaning here, told from what is no statement at all.
constexpr std::array<std::string_view, 22> kUnsupported = {
    "BEGIN", "START",  "COMMIT",  "ROLLBACK", "CALL",   "EXECUTE", "GRANT", "REVOKE",
    "SET",   "UNSET",  "COPY",    "PUT",      "GET",    "LIST",    "LS",    "REMOVE",
    "RM",    "UNDROP", "DECLARE", "LET",      "RETURN", "IF"};

}  // namespace

Result<Outcome> Statement::Run(Access access) {
  const Token first = cursor_.Peek();
  const std::string& word = first.text;
  const bool query = word == "SELECT" || word == "WITH" || word == "VALUES" || first.IsSymbol("(");
  if (query) return RunQuery();
  if (word == "SHOW") return RunShow();
  if (word == "DESCRIBE" || word == "DESC") return RunDescribe();
  if (word == "USE") return RunUse();
  if (word == "EXPLAIN") return RunExplain();
  if (first.kind != TokenKind::kWord) return cursor_.Unexpected();
  Result<Outcome> (Statement::*run)() = nullptr;
  if (word == "CREATE") run = &Statement::RunCreate;
  if (word == "ALTER") run = &Statement::RunAlter;
  if (word == "DROP") run = &Statement::RunDrop;
  if (word == "TRUNCATE") run = &Statement::RunTruncate;
  if (word == "COMMENT") run = &Statement::RunComment;
  const bool write = word == "INSERT" || word == "UPDATE" || word == "DELETE" || word == "MERGE";
  const bool unsupported =
      std::find(kUnsupported.begin(), kUnsupported.end(), word) != kUnsupported.end();
  if (run == nullptr && !write && !unsupported) return cursor_.Unexpected();
  if (access == Access::kReadOnly) return WriteRefused();
  if (unsupported) return Unsupported(word);
  return write ? RunWrite(word) : (this->*run)();
}

Result<Outcome> Statement::Message(std::string_view type, std::string message) {
  RowSet rows;
  rows.columns.push_back("status");
  rows.rows.push_back(json::object{{"status", message}});
  ASSIGN_OR_RETURN(Outcome outcome, Listing(type, std::move(rows)));
  outcome.rows_affected = 0;
  outcome.message = std::move(message);
  return outcome;
}

Result<Outcome> Statement::Listing(std::string_view type, RowSet rows) {
  Outcome outcome;
  outcome.columns = std::move(rows.columns);
  outcome.rows = std::move(rows.rows);
  outcome.rows_affected = static_cast<std::int64_t>(outcome.rows.size());
  outcome.statement_type = type;
  outcome.session = session_;
  return outcome;
}

Result<Outcome> Statement::RunQuery() {
  ASSIGN_OR_RETURN(Query query, translator_.ReadQuery(nullptr));
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  ASSIGN_OR_RETURN(RowSet rows, ExecuteQuery(context_, query, budget_));
  return Listing("SELECT", std::move(rows));
}

// Enough for an agent to see that its query compiles and which tables it reads.
Result<Outcome> Statement::RunExplain() {
  cursor_.Next();
  if (cursor_.AcceptWord("USING")) cursor_.Next();
  ASSIGN_OR_RETURN(Query query, translator_.ReadQuery(nullptr));
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  RowSet rows;
  for (std::string_view name :
       {"step", "id", "parentOperators", "operation", "objects", "expressions", "partitionsTotal",
        "partitionsAssigned", "bytesAssigned"}) {
    rows.columns.push_back(json::value(name));
  }
  auto add = [&](json::value step, json::value id, std::string_view operation, json::value objects,
                 json::value expressions) {
    json::value parent =
        id.is_int64() && id.get_int64() > 0 ? json::value("[0]") : json::value(nullptr);
    rows.rows.push_back(json::object{{"step", std::move(step)},
                                     {"id", std::move(id)},
                                     {"parentOperators", std::move(parent)},
                                     {"operation", operation},
                                     {"objects", std::move(objects)},
                                     {"expressions", std::move(expressions)},
                                     {"partitionsTotal", 1},
                                     {"partitionsAssigned", 1},
                                     {"bytesAssigned", 0}});
  };
  std::string names;
  for (const OutputColumn& column : query.columns)
    names += (names.empty() ? "" : ", ") + column.name;
  add(nullptr, nullptr, "GlobalStats", nullptr, nullptr);
  add(1, 0, "Result", nullptr, json::value(names));
  std::int64_t id = 0;
  for (const std::string& table : context_.scanned)
    add(1, ++id, "TableScan", json::value(table), nullptr);
  return Listing("EXPLAIN", std::move(rows));
}

Result<Outcome> Statement::RunWrite(std::string_view verb) {
  translator_.set_verb(verb);
  Result<std::vector<Write>> (Translator::*read)() = &Translator::ReadInsert;
  if (verb == "UPDATE") read = &Translator::ReadUpdate;
  if (verb == "DELETE") read = &Translator::ReadDelete;
  if (verb == "MERGE") read = &Translator::ReadMerge;
  ASSIGN_OR_RETURN(auto writes, (translator_.*read)());
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t deleted = 0;
  for (const Write& write : writes) {
    ASSIGN_OR_RETURN(std::int64_t rows, ExecuteWrite(context_, write.sql, budget_));
    if (write.kind == Write::Kind::kInsert) inserted += rows;
    if (write.kind == Write::Kind::kUpdate) updated += rows;
    if (write.kind == Write::Kind::kDelete && verb != "INSERT") deleted += rows;
  }
  RETURN_IF_ERROR(translator_.AdvanceIdentities(inserted));
  RowSet out;
  json::object row;
  auto count = [&](std::string_view name, std::int64_t rows) {
    out.columns.push_back(json::value(name));
    row.emplace(name, rows);
  };
  const bool merge = verb == "MERGE";
  if (verb == "INSERT" || merge) count("number of rows inserted", inserted);
  if (verb == "UPDATE" || merge) count("number of rows updated", updated);
  if (verb == "UPDATE") count("number of multi-joined rows updated", 0);
  if (verb == "DELETE" || merge) count("number of rows deleted", deleted);
  out.rows.push_back(std::move(row));
  ASSIGN_OR_RETURN(Outcome outcome, Listing(verb, std::move(out)));
  outcome.rows_affected = inserted + updated + deleted;
  return outcome;
}

}  // namespace viv::engine::guest_sql
