// CREATE: what is made, and databases, schemas and views. Tables are in create_table.cc.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::string_view kOwner = "ACCOUNTADMIN";

}  // namespace

Result<Outcome> Statement::RunCreate() {
  cursor_.Next();
  CreateOptions options;
  options.replace = cursor_.AcceptWords("OR", "REPLACE");
  cursor_.AcceptWord("LOCAL");
  cursor_.AcceptWord("GLOBAL");
  if (cursor_.AcceptWord("TRANSIENT")) options.flavour = "TRANSIENT";
  if (cursor_.AcceptWord("TEMPORARY") || cursor_.AcceptWord("TEMP") ||
      cursor_.AcceptWord("VOLATILE")) {
    options.flavour = "TEMPORARY";
  }
  for (std::string_view word : {"SECURE", "RECURSIVE"}) cursor_.AcceptWord(word);
  if (cursor_.AcceptWord("TABLE")) return CreateTable(options);
  if (cursor_.AcceptWord("VIEW")) return CreateView(options);
  if (cursor_.AcceptWord("DATABASE")) return CreateDatabase(options);
  if (cursor_.AcceptWord("SCHEMA")) return CreateSchema(options);
  if (cursor_.Peek().kind != TokenKind::kWord) return cursor_.Unexpected();
  return Unsupported("CREATE " + cursor_.Peek().text);
}

Result<bool> Statement::ReadIfNotExists() {
  if (!cursor_.AcceptWord("IF")) return false;
  RETURN_IF_ERROR(cursor_.ExpectWord("NOT"));
  RETURN_IF_ERROR(cursor_.ExpectWord("EXISTS"));
  return true;
}

Result<ObjectName> Statement::ReadNewName(std::string_view verb) {
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  translator_.set_verb(verb);
  if (name.name.size() > 255) return CompilationError("000904 (42000)", "Object name is too long.");
  ASSIGN_OR_RETURN(name, translator_.Qualify(std::move(name)));
  if (name.schema == kInformationSchema) {
    return Fail(
        ErrorCode::kPermissionDenied,
        "003001 (42501): SQL access control error:\nInsufficient privileges to operate on schema "
        "'INFORMATION_SCHEMA'.");
  }
  return name;
}

// `COMMENT = 'x'`, `CLUSTER BY (a)`, `DATA_RETENTION_TIME_IN_DAYS = 1`: of these only the comment
// matters here.
Result<std::optional<std::string>> Statement::ReadOptions() {
  std::optional<std::string> comment;
  while (cursor_.Peek().kind == TokenKind::kWord && !cursor_.IsWord("AS") &&
         !cursor_.IsWord("CLONE")) {
    if (cursor_.AcceptWords("CLUSTER", "BY")) {
      RETURN_IF_ERROR(SkipBrackets());
      continue;
    }
    if (cursor_.AcceptWords("COPY", "GRANTS")) continue;
    const bool is_comment = cursor_.IsWord("COMMENT");
    cursor_.Next();
    RETURN_IF_ERROR(cursor_.ExpectSymbol("="));
    if (is_comment) {
      ASSIGN_OR_RETURN(comment, cursor_.Text());
    } else if (cursor_.IsSymbol("(")) {
      RETURN_IF_ERROR(SkipBrackets());
    } else {
      cursor_.Next();
    }
  }
  return comment;
}

Result<Outcome> Statement::CreateDatabase(const CreateOptions& options) {
  ASSIGN_OR_RETURN(bool quiet, ReadIfNotExists());
  ASSIGN_OR_RETURN(std::string name, cursor_.Name());
  if (name.size() > 255) return CompilationError("000904 (42000)", "Object name is too long.");
  ASSIGN_OR_RETURN(auto comment, ReadOptions());
  if (cursor_.IsWord("CLONE")) return Unsupported("CREATE DATABASE CLONE");
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  ASSIGN_OR_RETURN(bool has, catalog_.HasDatabase(name));
  if (has && quiet) {
    return Message("CREATE_DATABASE",
                   fmt::format("{} already exists, statement succeeded.", DisplayName(name)));
  }
  if (has && !options.replace) return ObjectExists(DisplayName(name));
  if (has) RETURN_IF_ERROR(catalog_.DropDatabase(name));
  ASSIGN_OR_RETURN(std::int64_t now, catalog_.NowMs());
  RETURN_IF_ERROR(catalog_.AddDatabase({"", name, comment, std::string(kOwner), now}));
  RETURN_IF_ERROR(catalog_.AddSchema({name, "PUBLIC", std::nullopt, std::string(kOwner), now}));
  session_.database = name;
  session_.schema = "PUBLIC";
  return Message("CREATE_DATABASE",
                 fmt::format("Database {} successfully created.", DisplayName(name)));
}

Result<Outcome> Statement::CreateSchema(const CreateOptions& options) {
  ASSIGN_OR_RETURN(bool quiet, ReadIfNotExists());
  ASSIGN_OR_RETURN(ObjectName path, cursor_.ObjectPath());
  if (!path.database.empty() || path.name.size() > 255) return cursor_.Unexpected();
  const std::string database = path.schema.empty() ? session_.database : path.schema;
  const std::string& name = path.name;
  ASSIGN_OR_RETURN(auto comment, ReadOptions());
  if (cursor_.IsWord("CLONE")) return Unsupported("CREATE SCHEMA CLONE");
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  if (database.empty()) return NoCurrentDatabase("CREATE SCHEMA");
  ASSIGN_OR_RETURN(bool has_database, catalog_.HasDatabase(database));
  if (!has_database && path.schema.empty()) return NoCurrentDatabase("CREATE SCHEMA");
  if (!has_database) return DatabaseMissing(DisplayName(database));
  ASSIGN_OR_RETURN(bool has, catalog_.HasSchema(database, name));
  if (has && quiet) {
    return Message("CREATE_SCHEMA",
                   fmt::format("{} already exists, statement succeeded.", DisplayName(name)));
  }
  if (has && (!options.replace || name == kInformationSchema))
    return ObjectExists(DisplayName(name));
  if (has) RETURN_IF_ERROR(catalog_.DropSchema(database, name));
  ASSIGN_OR_RETURN(std::int64_t now, catalog_.NowMs());
  RETURN_IF_ERROR(catalog_.AddSchema({database, name, comment, std::string(kOwner), now}));
  session_.database = database;
  session_.schema = name;
  return Message("CREATE_SCHEMA",
                 fmt::format("Schema {} successfully created.", DisplayName(name)));
}

Result<Outcome> Statement::CreateView(const CreateOptions& options) {
  ASSIGN_OR_RETURN(bool quiet, ReadIfNotExists());
  Relation view;
  ASSIGN_OR_RETURN(view.name, ReadNewName("CREATE VIEW"));
  std::vector<std::string> names;
  if (cursor_.AcceptSymbol("(")) {
    do {
      ASSIGN_OR_RETURN(std::string name, cursor_.Name());
      if (cursor_.AcceptWord("COMMENT")) cursor_.Next();
      names.push_back(std::move(name));
    } while (cursor_.AcceptSymbol(","));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  }
  ASSIGN_OR_RETURN(view.comment, ReadOptions());
  RETURN_IF_ERROR(cursor_.ExpectWord("AS"));
  const std::size_t begin = cursor_.place();
  // Read in the view's own database and schema, as every use of it will be.
  Session session = session_;
  session.database = view.name.database;
  session.schema = view.name.schema;
  Translator inner(context_, session, cursor_);
  ASSIGN_OR_RETURN(Query query, inner.ReadQuery(nullptr));
  view.definition = std::string(cursor_.Slice(begin, cursor_.place()));
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  if (!names.empty() && names.size() != query.columns.size()) return cursor_.Unexpected();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < query.columns.size(); ++i) {
    Column column;
    column.name = names.empty() ? query.columns[i].name : names[i];
    column.data_type = NameOfType(query.columns[i].type);
    columns.push_back(std::move(column));
  }
  RETURN_IF_ERROR(CheckColumns(columns));
  ASSIGN_OR_RETURN(auto old, catalog_.Find(view.name));
  if (old && quiet) {
    return Message("CREATE_VIEW", fmt::format("{} already exists, statement succeeded.",
                                              DisplayName(view.name.name)));
  }
  if (old && (!options.replace || !old->is_view)) return ObjectExists(DisplayName(view.name));
  if (old) RETURN_IF_ERROR(catalog_.DropRelation(*old));
  view.is_view = true;
  view.owner = kOwner;
  ASSIGN_OR_RETURN(view.created_ms, catalog_.NowMs());
  RETURN_IF_ERROR(catalog_.AddRelation(view, columns));
  return Message("CREATE_VIEW",
                 fmt::format("View {} successfully created.", DisplayName(view.name.name)));
}

}  // namespace viv::engine::guest_sql
