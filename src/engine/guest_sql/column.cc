// The column list of CREATE TABLE and ALTER TABLE ADD.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "engine/guest_sql/errors.h"
#include "engine/guest_sql/statement.h"

namespace viv::engine::guest_sql {

Status Statement::SkipBrackets() {
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  for (int depth = 1; depth > 0; cursor_.Next()) {
    if (cursor_.AtEnd()) return cursor_.Unexpected();
    if (cursor_.IsSymbol("(")) ++depth;
    if (cursor_.IsSymbol(")")) --depth;
  }
  return {};
}

Status Statement::ReadColumnDefinitions(NewTable& table) {
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  do {
    ASSIGN_OR_RETURN(bool constraint, ReadTableConstraint(table.columns));
    if (constraint) continue;
    bool typed = true;
    ASSIGN_OR_RETURN(Column column, ReadColumnDefinition(&typed));
    table.typed = table.typed && typed;
    table.columns.push_back(std::move(column));
    if (table.columns.size() > kColumnsMax) return TooComplex();
  } while (cursor_.AcceptSymbol(","));
  return cursor_.ExpectSymbol(")");
}

// `REFERENCES t (a)` and what may follow; the product records but never enforces it.
Status Statement::SkipReferences() {
  RETURN_IF_ERROR(cursor_.ExpectWord("REFERENCES"));
  RETURN_IF_ERROR(cursor_.ObjectPath());
  if (cursor_.IsSymbol("(")) RETURN_IF_ERROR(SkipBrackets());
  while (cursor_.AcceptWord("ON")) {
    cursor_.Next();  // DELETE or UPDATE
    if (cursor_.AcceptWord("SET") || cursor_.AcceptWord("NO"))
      cursor_.Next();
    else if (!cursor_.AcceptWord("CASCADE"))
      RETURN_IF_ERROR(cursor_.ExpectWord("RESTRICT"));
  }
  return {};
}

Result<bool> Statement::ReadTableConstraint(std::vector<Column>& columns) {
  const bool named = cursor_.IsWord("CONSTRAINT");
  const std::size_t ahead = named ? 2 : 0;
  const bool primary = cursor_.IsWord("PRIMARY", ahead) && cursor_.IsWord("KEY", ahead + 1);
  const bool foreign = cursor_.IsWord("FOREIGN", ahead) && cursor_.IsWord("KEY", ahead + 1);
  const bool unique = cursor_.IsWord("UNIQUE", ahead);
  if (!primary && !foreign && !unique) return false;
  cursor_.MoveTo(cursor_.place() + ahead + (unique ? 1 : 2));
  if (!primary) {
    RETURN_IF_ERROR(SkipBrackets());
    if (foreign) RETURN_IF_ERROR(SkipReferences());
    return true;
  }
  RETURN_IF_ERROR(cursor_.ExpectSymbol("("));
  do {
    const Token at = cursor_.Peek();
    ASSIGN_OR_RETURN(std::string name, cursor_.Name());
    bool found = false;
    for (Column& column : columns) {
      if (column.name != name) continue;
      column.primary_key = true;
      column.nullable = false;
      found = true;
    }
    if (!found) return InvalidIdentifier(at, DisplayName(name));
  } while (cursor_.AcceptSymbol(","));
  RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  return true;
}

Result<Column> Statement::ReadColumnDefinition(bool* typed) {
  Column column;
  ASSIGN_OR_RETURN(column.name, cursor_.Name());
  *typed = !cursor_.IsSymbol(",") && !cursor_.IsSymbol(")");
  if (!*typed) return column;
  ASSIGN_OR_RETURN(DataType type, ParseDataType(cursor_));
  column.data_type = std::move(type.name);
  RETURN_IF_ERROR(ReadColumnConstraints(column));
  return column;
}

Status Statement::ReadColumnConstraints(Column& column) {
  while (!cursor_.IsSymbol(",") && !cursor_.IsSymbol(")") && !cursor_.AtEnd()) {
    if (cursor_.AcceptWord("CONSTRAINT")) {
      RETURN_IF_ERROR(cursor_.Name());
    } else if (cursor_.AcceptWords("NOT", "NULL")) {
      column.nullable = false;
    } else if (cursor_.AcceptWords("PRIMARY", "KEY")) {
      column.primary_key = true;
      column.nullable = false;
    } else if (cursor_.AcceptWord("DEFAULT")) {
      // Read once to see that it means something; kept as text and read anew at each insert.
      const std::size_t begin = cursor_.place();
      const Scope nothing(nullptr);
      RETURN_IF_ERROR(translator_.ReadExpression(nothing));
      column.default_value = std::string(cursor_.Slice(begin, cursor_.place()));
    } else if (cursor_.AcceptWord("AUTOINCREMENT") || cursor_.AcceptWord("IDENTITY")) {
      RETURN_IF_ERROR(ReadIdentity(column));
    } else if (cursor_.AcceptWord("COMMENT")) {
      ASSIGN_OR_RETURN(column.comment, cursor_.Text());
    } else if (cursor_.AcceptWord("COLLATE")) {
      RETURN_IF_ERROR(cursor_.Text());
    } else if (cursor_.AcceptWords("FOREIGN", "KEY") || cursor_.IsWord("REFERENCES")) {
      RETURN_IF_ERROR(SkipReferences());
    } else if (!cursor_.AcceptWord("NULL") && !cursor_.AcceptWord("UNIQUE")) {
      return cursor_.Unexpected();
    }
  }
  return {};
}

// `(1, 1)`, `START 1 INCREMENT 1`, ORDER or NOORDER
Status Statement::ReadIdentity(Column& column) {
  auto integer = [&](std::int64_t& into) -> Status {
    const bool minus = cursor_.AcceptSymbol("-");
    const Token token = cursor_.Peek();
    auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), into);
    if (token.kind != TokenKind::kNumber || error != std::errc() ||
        end != token.text.data() + token.text.size()) {
      return cursor_.Unexpected();
    }
    cursor_.Next();
    if (minus) into = -into;
    return {};
  };
  std::int64_t start = 1;
  if (cursor_.AcceptSymbol("(")) {
    RETURN_IF_ERROR(integer(start));
    if (cursor_.AcceptSymbol(",")) RETURN_IF_ERROR(integer(column.identity_step));
    RETURN_IF_ERROR(cursor_.ExpectSymbol(")"));
  }
  if (cursor_.AcceptWord("START")) {
    cursor_.AcceptWord("WITH");
    RETURN_IF_ERROR(integer(start));
  }
  if (cursor_.AcceptWord("INCREMENT")) {
    cursor_.AcceptWord("BY");
    RETURN_IF_ERROR(integer(column.identity_step));
  }
  if (!cursor_.AcceptWord("ORDER")) cursor_.AcceptWord("NOORDER");
  column.identity_next = start;
  return {};
}

}  // namespace viv::engine::guest_sql
