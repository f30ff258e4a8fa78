#pragma once
// INFORMATION_SCHEMA of a guest database: the catalogue as relations. The rows are gathered here
// and handed to SQLite as one bound JSON text, so a guest's query never touches the catalogue's
// tables themselves.

#include <optional>
#include <string>

#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {

// DATABASES, SCHEMATA, TABLES, COLUMNS or VIEWS of `database`; nothing for another name.
Result<std::optional<Query>> ReadInformationSchema(Context& context,
                                                   const std::string& database,
                                                   const std::string& view);

}  // namespace viv::engine::guest_sql
