#pragma once
// What a name in an expression can mean: the columns of the relations in FROM, innermost query
// first. The translator reads FROM before the select list, so every column is known, with its type,
// when it is used.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/names.h"
#include "engine/guest_sql/types.h"

namespace viv::engine::guest_sql {

struct ScopeColumn {
  std::string name;
  Type type;
  std::string sql;      // how our SQL refers to it
  bool merged = false;  // the second of two columns that USING made one: `*` shows it once
};

struct ScopeRelation {
  std::string alias;
  std::optional<ObjectName> object;  // a table named without an alias answers to its full name too
  std::vector<ScopeColumn> columns;
};

struct SelectAlias {
  std::string name;
  std::string sql;
  Type type;
};

class Scope {
 public:
  explicit Scope(const Scope* outer) : outer_(outer) {}

  std::vector<ScopeRelation> relations;
  std::vector<SelectAlias>
      aliases;  // of the select items read so far: the product lets later ones use them

  // `path` is the name's parts, the column last. Nothing when there is none; an error when there
  // are two.
  Result<std::optional<ScopeColumn>> Find(const std::vector<std::string>& path) const;
  // The relations that `t.*` means; empty when there is none.
  const ScopeRelation* FindRelation(const std::vector<std::string>& path) const;

 private:
  Result<std::optional<ScopeColumn>> FindHere(const std::vector<std::string>& path) const;
  const Scope* outer_;
};

}  // namespace viv::engine::guest_sql
