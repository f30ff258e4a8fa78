// USE: what is current for the statements that follow.
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {

Status Statement::UseDatabase(const std::string& name) {
  ASSIGN_OR_RETURN(bool has, catalog_.HasDatabase(name));
  if (!has) return UseMissing();
  ASSIGN_OR_RETURN(bool has_public, catalog_.HasSchema(name, "PUBLIC"));
  session_.database = name;
  session_.schema = has_public ? "PUBLIC" : "";
  return {};
}

Status Statement::UseSchema(const ObjectName& name) {
  const std::string database = name.schema.empty() ? session_.database : name.schema;
  if (database.empty()) return NoCurrentDatabase("USE");
  ASSIGN_OR_RETURN(bool has, catalog_.HasSchema(database, name.name));
  if (!has) return UseMissing();
  session_.database = database;
  session_.schema = name.name;
  return {};
}

Result<Outcome> Statement::RunUse() {
  cursor_.Next();
  if (cursor_.IsWord("SECONDARY") && cursor_.IsWord("ROLES", 1)) {
    cursor_.MoveTo(cursor_.place() + 3);
  } else if (cursor_.AcceptWord("WAREHOUSE")) {
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    // A world without warehouses of its own has every one.
    ASSIGN_OR_RETURN(
        db::Statement row,
        catalog_.Prepare("SELECT count(*), total(name = ?1) FROM main.guest_warehouse"));
    row.Bind(1, std::string_view(name));
    RETURN_IF_ERROR(row.Step());
    if (row.Integer(0) > 0 && row.Integer(1) == 0) return UseMissing();
    session_.warehouse = std::move(name);
  } else if (cursor_.AcceptWord("ROLE")) {
    ASSIGN_OR_RETURN(session_.role, cursor_.Name());
  } else if (cursor_.AcceptWord("DATABASE")) {
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    RETURN_IF_ERROR(UseDatabase(name));
  } else {
    const bool schema = cursor_.AcceptWord("SCHEMA");
    ASSIGN_OR_RETURN(ObjectName name, cursor_.ObjectPath());
    if (!name.database.empty()) return cursor_.Unexpected();
    if (schema || !name.schema.empty()) {
      RETURN_IF_ERROR(UseSchema(name));
    } else {
      RETURN_IF_ERROR(UseDatabase(name.name));
    }
  }
  RETURN_IF_ERROR(cursor_.ExpectEnd());
  return Message("USE", "Statement executed successfully.");
}

}  // namespace viv::engine::guest_sql
