// Joins: their kinds and conditions. USING and NATURAL become ON, since only we know which columns
// the guest sees.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/translator.h"

namespace viv::engine::guest_sql {
namespace {

ScopeColumn* FindColumn(ScopeRelation& relation, const std::string& name) {
  for (ScopeColumn& column : relation.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace

Result<std::string> Translator::ReadJoinKind() {
  if (cursor_.IsWord("ASOF")) return Unsupported("ASOF JOIN");
  const bool natural = cursor_.AcceptWord("NATURAL");
  std::string kind;
  for (std::string_view word : {"LEFT", "RIGHT", "FULL"}) {
    if (!cursor_.AcceptWord(word)) continue;
    cursor_.AcceptWord("OUTER");
    kind = word;
  }
  if (kind.empty() && cursor_.AcceptWord("CROSS")) kind = "CROSS";
  if (kind.empty() && cursor_.AcceptWord("INNER")) kind = "INNER";
  if (kind.empty() && !natural && !cursor_.IsWord("JOIN")) return std::string();
  RETURN_IF_ERROR(cursor_.ExpectWord("JOIN"));
  if (natural) return kind.empty() || kind == "INNER" ? std::string("NATURAL") : "NATURAL " + kind;
  if (kind.empty() || kind == "INNER") return std::string("JOIN");
  return kind + " JOIN";
}

Result<std::string> Translator::ReadCondition(Scope& scope,
                                              std::size_t left_relations,
                                              std::string_view kind) {
  if (kind.starts_with("NATURAL")) {
    std::vector<std::string> names;
    for (const ScopeColumn& column : scope.relations.back().columns) {
      auto has = [&](ScopeRelation& relation) {
        return FindColumn(relation, column.name) != nullptr;
      };
      auto left_end = scope.relations.begin() + static_cast<std::ptrdiff_t>(left_relations);
      if (std::any_of(scope.relations.begin(), left_end, has)) names.push_back(column.name);
    }
    return names.empty() ? std::string() : JoinUsing(scope, left_relations, names, kind);
  }
  if (cursor_.AcceptWord("ON")) {
    ASSIGN_OR_RETURN(Expression condition, ReadExpression(scope));
    return " ON " + condition.sql;
  }
  if (!cursor_.AcceptWord("USING")) return std::string();
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  std::vector<std::string> names;
  do {
    const Token at = cursor_.Peek();
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    bool left = false;
    for (std::size_t i = 0; i < left_relations; ++i)
      left |= FindColumn(scope.relations[i], name) != nullptr;
    if (!left || FindColumn(scope.relations.back(), name) == nullptr)
      return InvalidIdentifier(at, DisplayName(name));
    names.push_back(std::move(name));
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return JoinUsing(scope, left_relations, names, kind);
}

std::string Translator::JoinUsing(Scope& scope,
                                  std::size_t left_relations,
                                  const std::vector<std::string>& names,
                                  std::string_view kind) {
  std::string condition;
  for (const std::string& name : names) {
    ScopeColumn* left = nullptr;
    for (std::size_t i = 0; i < left_relations; ++i) {
      ScopeColumn* found = FindColumn(scope.relations[i], name);
      if (left == nullptr && found != nullptr && !found->merged) left = found;
    }
    ScopeColumn* right = FindColumn(scope.relations.back(), name);
    if (left == nullptr || right == nullptr) continue;
    condition +=
        fmt::format("{}{} = {}", condition.empty() ? " ON " : " AND ", left->sql, right->sql);
    right->merged = true;
    // Where the left side may be missing the merged column takes its value from the right.
    if (kind.find("FULL") != kind.npos || kind.find("RIGHT") != kind.npos) {
      left->sql = fmt::format("coalesce({}, {})", left->sql, right->sql);
    }
  }
  return condition;
}

}  // namespace viv::engine::guest_sql
