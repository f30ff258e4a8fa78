// DROP and TRUNCATE.
#include <fmt/format.h>

#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {
namespace {

tl::unexpected<Error> Missing(std::string_view what, std::string_view name) {
  return CompilationError("002003 (02000)",
                          fmt::format("{} '{}' does not exist or not authorized.", what, name),
                          ErrorCode::kNotFound);
}

std::string AlreadyDropped(std::string_view name) {
  return fmt::format("Drop statement executed successfully ({} already dropped).", name);
}

}  // namespace

Result<Outcome> Statement::RunDrop() {
  cursor_.Next();
  const std::string what = cursor_.Peek().text;
  const bool relation = what == "TABLE" || what == "VIEW";
  if (!relation && what != "DATABASE" && what != "SCHEMA") {
    if (cursor_.Peek().kind != TokenKind::kWord) return cursor_.Unexpected();
    return Unsupported("DROP " + what);
  }
  cursor_.Next();
  const bool if_exists = cursor_.AcceptWords("IF", "EXISTS");
  return relation ? DropRelation(what, if_exists) : DropContainer(what, if_exists);
}

Result<Outcome> Statement::DropRelation(std::string_view what, bool if_exists) {
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  if (!cursor_.AcceptWord("CASCADE")) cursor_.AcceptWord("RESTRICT");
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  const bool table = what == "TABLE";
  translator_.set_verb(table ? "DROP TABLE" : "DROP VIEW");
  const std::string type = table ? "DROP_TABLE" : "DROP_VIEW";
  auto relation = translator_.FindRelation(name);
  if (!relation && relation.error().code == ErrorCode::kNotFound) {
    if (if_exists) return Message(type, AlreadyDropped(DisplayName(name.name)));
    return Missing(table ? "Table" : "View", DisplayName(name));
  }
  if (!relation) return PassUp(std::move(relation).error());
  if (relation->is_view == table) {
    return CompilationError("002203 (02000)",
                            fmt::format("Object found is of type '{}', not specified type '{}'.",
                                        relation->is_view ? "VIEW" : "TABLE", what));
  }
  RETURN_IF_ERROR(catalog_.DropRelation(*relation));
  return Message(type, fmt::format("{} successfully dropped.", DisplayName(relation->name.name)));
}

Result<Outcome> Statement::DropContainer(std::string_view what, bool if_exists) {
  ASSIGN_OR_RETURN(ObjectName path, cursor_.ObjectPath());
  if (!cursor_.AcceptWord("CASCADE")) cursor_.AcceptWord("RESTRICT");
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  const bool database = what == "DATABASE";
  const std::string type = database ? "DROP_DATABASE" : "DROP_SCHEMA";
  if (!path.database.empty() || (database && !path.schema.empty())) return cursor_.Unexpected();
  const std::string owner = path.schema.empty() ? session_.database : path.schema;
  if (!database && owner.empty()) return NoCurrentDatabase("DROP SCHEMA");
  ASSIGN_OR_RETURN(
      bool has, database ? catalog_.HasDatabase(path.name) : catalog_.HasSchema(owner, path.name));
  if (!has && if_exists) return Message(type, AlreadyDropped(DisplayName(path.name)));
  if (!has) return Missing(database ? "Database" : "Schema", DisplayName(path));
  if (path.name == kInformationSchema) {
    return Fail(
        ErrorCode::kPermissionDenied,
        "003001 (42501): SQL access control error:\nInsufficient privileges to operate on schema "
        "'INFORMATION_SCHEMA'.");
  }
  if (database) {
    RETURN_IF_ERROR(catalog_.DropDatabase(path.name));
    if (session_.database == path.name) session_.database = session_.schema = "";
  } else {
    RETURN_IF_ERROR(catalog_.DropSchema(owner, path.name));
    if (session_.database == owner && session_.schema == path.name) session_.schema = "";
  }
  return Message(type, fmt::format("{} successfully dropped.", DisplayName(path.name)));
}

Result<Outcome> Statement::RunTruncate() {
  cursor_.Next();
  cursor_.AcceptWord("TABLE");
  const bool if_exists = cursor_.AcceptWords("IF", "EXISTS");
  ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  translator_.set_verb("TRUNCATE TABLE");
  const std::string done = "Statement executed successfully.";
  auto table = translator_.FindRelation(name);
  if (!table && if_exists && table.error().code == ErrorCode::kNotFound)
    return Message("TRUNCATE_TABLE", done);
  if (!table) return PassUp(std::move(table).error());
  if (table->is_view)
    return CompilationError("002098 (42601)", fmt::format("{} is not a table.", DisplayName(name)));
  RETURN_IF_ERROR(catalog_.Execute("DELETE FROM main." + SqlName(table->physical)));
  return Message("TRUNCATE_TABLE", done);
}

}  // namespace viv::engine::guest_sql
