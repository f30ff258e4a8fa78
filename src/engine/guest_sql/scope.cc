#include "engine/guest_sql/scope.h"

#include "engine/guest_sql/errors.h"

namespace viv::engine::guest_sql {
namespace {

// Whether the parts before a column's name (or before `.*`) mean this relation.
bool Answers(const ScopeRelation& relation,
             const std::vector<std::string>& path,
             std::size_t qualifiers) {
  if (qualifiers == 0) return true;
  if (qualifiers == 1) return relation.alias == path[0];
  if (!relation.object || relation.object->name != path[qualifiers - 1]) return false;
  if (relation.object->schema != path[qualifiers - 2]) return false;
  return qualifiers < 3 || relation.object->database == path[0];
}

}  // namespace

Result<std::optional<ScopeColumn>> Scope::FindHere(const std::vector<std::string>& path) const {
  const ScopeColumn* found = nullptr;
  for (const ScopeRelation& relation : relations) {
    if (!Answers(relation, path, path.size() - 1)) continue;
    for (const ScopeColumn& column : relation.columns) {
      if (column.name != path.back() || (column.merged && path.size() == 1)) continue;
      if (found != nullptr) return AmbiguousColumn(path.back());
      found = &column;
    }
  }
  if (found == nullptr) return std::optional<ScopeColumn>();
  return std::optional<ScopeColumn>(*found);
}

Result<std::optional<ScopeColumn>> Scope::Find(const std::vector<std::string>& path) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    ASSIGN_OR_RETURN(auto column, scope->FindHere(path));
    if (column) return column;
    if (path.size() != 1) continue;
    for (const SelectAlias& alias : scope->aliases) {
      if (alias.name == path[0]) {
        return std::optional<ScopeColumn>(
            ScopeColumn{alias.name, alias.type, "(" + alias.sql + ")"});
      }
    }
  }
  return std::optional<ScopeColumn>();
}

const ScopeRelation* Scope::FindRelation(const std::vector<std::string>& path) const {
  for (const ScopeRelation& relation : relations) {
    if (Answers(relation, path, path.size())) return &relation;
  }
  return nullptr;
}

}  // namespace viv::engine::guest_sql
