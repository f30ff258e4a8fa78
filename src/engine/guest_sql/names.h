#pragma once
// Names as the guest writes them and as we store them. A guest table lives in a table of our own
// whose name says database, schema and table; the scheme is injective and independent of case, as
// SQLite compares names without it.

#include <string>
#include <string_view>
#include <vector>

namespace viv::engine::guest_sql {

// Database, schema and table or view; any leading part may be empty until resolved.
struct ObjectName {
  std::string database;
  std::string schema;
  std::string name;
};

// "g$DB$PUBLIC$ORDERS"; every byte outside A-Z, 0-9 and _ is written as ~hh.
std::string PhysicalName(const ObjectName& name);

// For our SQL: `like this`. Backticks, because SQLite takes an unknown "name" for a text.
std::string SqlName(std::string_view name);
// For our SQL: 'like this'.
std::string SqlText(std::string_view text);

// As the product prints a name: bare when it folds to itself, else in double quotes.
std::string DisplayName(std::string_view name);
std::string DisplayName(const ObjectName& name);  // the parts that are there, joined by dots

// A name as an unquoted identifier folds: upper case.
std::string FoldName(std::string_view name);

}  // namespace viv::engine::guest_sql
