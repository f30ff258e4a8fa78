#include "engine/query/jql.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "engine/query/jql_lexer.h"
#include "engine/query/jql_operand.h"

namespace viv::engine::query {
namespace {

constexpr std::string_view kValidOperators =
    "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and "
    "'IS "
    "NOT'.";
constexpr std::array<std::string_view, 8> kComparisons = {
    "=", "!=", "<", "<=", ">", ">=", "~", "!~"};
constexpr std::array<std::string_view, 12> kKeywords = {
    "and", "or", "not", "in", "is", "empty", "null", "order", "by", "was", "changed", "cf"};
constexpr std::array<std::string_view, 7> kHistoryPredicates = {"after", "before", "by", "during",
                                                                "from",  "on",     "to"};

class JqlParser {
 public:
  JqlParser(std::vector<JqlToken> tokens,
            const Target& target,
            const Context& context,
            const Calendar& calendar)
      : tokens_(std::move(tokens)), clauses_(target, context, calendar) {}

  Result<Parsed> Parse() {
    Parsed parsed;
    if (!AtEnd() && !Current().IsKeyword("order")) {
      ASSIGN_OR_RETURN(parsed.condition, ParseOr(false, 0));
    }
    if (TakeKeyword("order")) {
      ASSIGN_OR_RETURN(parsed.sorts, ParseOrder());
    }
    if (!AtEnd()) return FailExpecting("either 'OR' or 'AND'");
    return parsed;
  }

 private:
  const JqlToken& Current() const { return tokens_[position_]; }
  bool AtEnd() const { return Current().kind == JqlToken::Kind::kEnd; }

  JqlToken Take() {
    JqlToken token = Current();
    if (!AtEnd()) ++position_;
    return token;
  }

  bool TakeSymbol(std::string_view symbol) {
    if (!Current().IsSymbol(symbol)) return false;
    ++position_;
    return true;
  }

  bool TakeKeyword(std::string_view keyword) {
    if (!Current().IsKeyword(keyword)) return false;
    ++position_;
    return true;
  }

  tl::unexpected<Error> FailExpecting(std::string_view what, std::string_view more = "") const {
    std::string_view space = more.empty() ? "" : " ";
    if (AtEnd()) {
      return FailJqlAtEnd(
          fmt::format("Expecting {} before the end of the query.{}{}", what, space, more));
    }
    return FailJql(fmt::format("Expecting {} but got '{}'.{}{}", what, Current().text, space, more),
                   Current());
  }

  // Under NOT every AND is an OR of the opposites, and the other way round.
  Result<Condition> ParseOr(bool negated, std::size_t depth) {
    std::vector<Condition> parts;
    do {
      ASSIGN_OR_RETURN(Condition part, ParseAnd(negated, depth));
      parts.push_back(std::move(part));
    } while (TakeKeyword("or") || TakeSymbol("||"));
    return negated ? Condition::All(std::move(parts)) : Condition::Any(std::move(parts));
  }

  Result<Condition> ParseAnd(bool negated, std::size_t depth) {
    std::vector<Condition> parts;
    do {
      ASSIGN_OR_RETURN(Condition part, ParseNot(negated, depth));
      parts.push_back(std::move(part));
    } while (TakeKeyword("and") || TakeSymbol("&&"));
    return negated ? Condition::Any(std::move(parts)) : Condition::All(std::move(parts));
  }

  Result<Condition> ParseNot(bool negated, std::size_t depth) {
    while (TakeKeyword("not") || TakeSymbol("!")) negated = !negated;
    if (!TakeSymbol("(")) return ParseClause(negated);
    if (depth >= kDepthMax) return FailTooDeep();
    ASSIGN_OR_RETURN(Condition inner, ParseOr(negated, depth + 1));
    if (!TakeSymbol(")")) return FailExpecting("')'");
    return inner;
  }

  Result<Condition> ParseClause(bool negated) {
    JqlClause clause;
    clause.negated = negated;
    ASSIGN_OR_RETURN(clause.name, ParseField());
    ASSIGN_OR_RETURN(clause.op, ParseOperator());
    if (clause.op == "changed") return clauses_.Read(clause);
    ASSIGN_OR_RETURN(clause.operand, ParseOperand(0));
    if (clause.op.starts_with("was")) RETURN_IF_ERROR(RefusePredicate());
    return clauses_.Read(clause);
  }

  Status RefusePredicate() const {
    for (std::string_view predicate : kHistoryPredicates) {
      if (!Current().IsKeyword(predicate)) continue;
      return FailJql(fmt::format("The history predicate '{}' is not supported.", Current().text),
                     Current());
    }
    return {};
  }

  // Words that the grammar or Jira keeps must be quoted to be a name or a value.
  Status CheckName(std::string_view what, std::string_view as) const {
    const JqlToken& token = Current();
    bool is_keyword = false;
    for (std::string_view keyword : kKeywords) is_keyword |= token.IsKeyword(keyword);
    bool is_text = token.kind == JqlToken::Kind::kWord || token.kind == JqlToken::Kind::kString;
    if (is_keyword || (token.kind == JqlToken::Kind::kSymbol)) {
      return FailExpecting(what,
                           fmt::format("You must surround '{}' in quotation marks to use it as {}.",
                                       token.text, as));
    }
    if (!is_text) return FailExpecting(what);
    if (token.kind == JqlToken::Kind::kWord && IsReservedJqlWord(token.text)) {
      return FailJql(
          fmt::format("'{}' is a reserved JQL word. You must surround it in quotation marks "
                      "to use it in a query.",
                      token.text),
          token);
    }
    return {};
  }

  Result<std::string> ParseField() {
    bool custom = Current().IsKeyword("cf") && tokens_[position_ + 1].IsSymbol("[");
    if (!custom) {
      RETURN_IF_ERROR(CheckName("a field name", "a field name"));
      return Take().text;
    }
    position_ += 2;
    std::string id = Take().text;
    if (!TakeSymbol("]")) return FailExpecting("']'");
    return "cf[" + id + "]";
  }

  Result<std::string> ParseOperator() {
    for (std::string_view symbol : kComparisons) {
      if (TakeSymbol(symbol)) return std::string(symbol);
    }
    if (TakeKeyword("changed")) return std::string("changed");
    if (TakeKeyword("in")) return std::string("in");
    if (TakeKeyword("is")) return std::string(TakeKeyword("not") ? "is not" : "is");
    if (Current().IsKeyword("not") && tokens_[position_ + 1].IsKeyword("in")) {
      position_ += 2;
      return std::string("not in");
    }
    if (!TakeKeyword("was")) return FailExpecting("operator", kValidOperators);
    std::string op = "was";
    if (TakeKeyword("not")) op += " not";
    if (TakeKeyword("in")) op += " in";
    return op;
  }

  Result<JqlOperand> ParseOperand(std::size_t depth) {
    if (TakeKeyword("empty") || TakeKeyword("null")) {
      return JqlOperand{JqlOperand::Kind::kEmpty, "", {}, {}};
    }
    if (Current().IsSymbol("(")) return ParseList(depth);
    RETURN_IF_ERROR(CheckName("either a value, list or function", "a value"));
    JqlOperand operand;
    operand.text = Take().text;
    if (operand.text.size() > kValueBytesMax) {
      return Fail(ErrorCode::kInvalidArgument, "a value of the query is too long");
    }
    if (!TakeSymbol("(")) return operand;
    operand.kind = JqlOperand::Kind::kFunction;
    while (!TakeSymbol(")")) {
      if (!operand.arguments.empty() && !TakeSymbol(",")) return FailExpecting("')'");
      RETURN_IF_ERROR(CheckName("a function argument", "an argument"));
      operand.arguments.push_back(Take().text);
    }
    return operand;
  }

  // A list within a list is the same as its entries.
  Result<JqlOperand> ParseList(std::size_t depth) {
    if (depth >= kDepthMax) return FailTooDeep();
    JqlOperand list;
    list.kind = JqlOperand::Kind::kList;
    position_ += 1;
    do {
      ASSIGN_OR_RETURN(JqlOperand entry, ParseOperand(depth + 1));
      if (entry.kind != JqlOperand::Kind::kList) {
        list.entries.push_back(std::move(entry));
        continue;
      }
      for (JqlOperand& inner : entry.entries) list.entries.push_back(std::move(inner));
    } while (TakeSymbol(","));
    if (!TakeSymbol(")")) return FailExpecting("')'");
    return list;
  }

  Result<std::vector<Sort>> ParseOrder() {
    if (!TakeKeyword("by")) return FailExpecting("'by'");
    std::vector<Sort> sorts;
    do {
      ASSIGN_OR_RETURN(std::string name, ParseField());
      ASSIGN_OR_RETURN(const Field* field, clauses_.Find(name));
      if (field->sql.empty() && field->order.empty()) {
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("Not able to sort using field '{}'.", name));
      }
      if (sorts.size() >= 50) {
        return Fail(ErrorCode::kInvalidArgument, "the query has more than 50 sort fields");
      }
      Sort sort;
      sort.field = field;
      sort.descending = TakeKeyword("desc");
      if (!sort.descending) TakeKeyword("asc");
      sorts.push_back(std::move(sort));
    } while (TakeSymbol(","));
    if (!AtEnd()) return FailExpecting("',', 'ASC' or 'DESC'");
    return sorts;
  }

  std::vector<JqlToken> tokens_;
  std::size_t position_ = 0;
  JqlClauseReader clauses_;
};

}  // namespace

Result<Parsed> ParseJql(std::string_view text,
                        const Target& target,
                        const Context& context,
                        const Calendar& calendar) {
  ASSIGN_OR_RETURN(std::vector<JqlToken> tokens, LexJql(text));
  return JqlParser(std::move(tokens), target, context, calendar).Parse();
}

}  // namespace viv::engine::query
