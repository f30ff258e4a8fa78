#include "tools/formula/parser.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/formula/lexer.h"

namespace viv::formula {
namespace {

using NodePtr = std::unique_ptr<Node>;

NodePtr MakeNode(NodeKind kind) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  return node;
}

std::string UpperName(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// Newer functions are stored with prefixes that say so.
std::string FunctionName(std::string_view text) {
  std::string name = UpperName(text);
  for (std::string_view prefix : {"_XLFN.", "_XLWS.", "_XLL.", "ORG.OPENOFFICE.", "COM.MICROSOFT."})
    if (name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0)
      name.erase(0, prefix.size());
  return name;
}

// Loosest first; "^" is the tightest of the binary ones and goes from left to right.
int Precedence(std::string_view op) {
  if (op == "=" || op == "<" || op == ">" || op == "<=" || op == ">=" || op == "<>") return 1;
  if (op == "&") return 2;
  if (op == "+" || op == "-") return 3;
  if (op == "*" || op == "/") return 4;
  if (op == "^") return 5;
  return 0;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Tree> Run() {
    Skip();
    if (Now().kind == TokenKind::kEnd)
      return Fail(ErrorCode::kInvalidArgument, "The formula is empty");
    ASSIGN_OR_RETURN(NodePtr node, Binary(1));
    Skip();
    if (Now().kind != TokenKind::kEnd) return Unexpected("an operator or the end");
    return Tree(std::move(node));
  }

 private:
  const Token& Now() const { return tokens_[at_]; }
  void Skip() {
    while (Now().kind == TokenKind::kSpace) ++at_;
  }
  bool IsOperator(std::string_view op) const {
    return Now().kind == TokenKind::kOperator && Now().text == op;
  }
  tl::unexpected<Error> Unexpected(std::string_view wanted) const;

  Result<NodePtr> Binary(int precedence);
  Result<NodePtr> Unary();
  Result<NodePtr> Postfix();
  Result<NodePtr> Ranges();
  bool AtIntersection() const;
  Result<NodePtr> Primary();
  Result<NodePtr> Parenthesis();
  Result<NodePtr> Function();
  Result<NodePtr> ArrayConstant();
  Result<NodePtr> ArrayElement();

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

tl::unexpected<Error> Parser::Unexpected(std::string_view wanted) const {
  const Token& token = Now();
  if (token.kind == TokenKind::kEnd)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("The formula ends where {} was expected", wanted));
  std::string_view found = text_.substr(token.begin, token.end - token.begin);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("Expected {} but found '{}' at character {}", wanted,
                          Printable(found, 40), token.begin + 1));
}

Result<NodePtr> Parser::Binary(int precedence) {
  if (precedence > 5) return Unary();
  ASSIGN_OR_RETURN(NodePtr first, Binary(precedence + 1));
  NodePtr chain;
  for (;;) {
    std::size_t before = at_;
    Skip();
    if (Now().kind != TokenKind::kOperator || Precedence(Now().text) != precedence) {
      at_ = before;
      break;
    }
    if (!chain) {
      chain = MakeNode(NodeKind::kChain);
      chain->children.push_back(std::move(first));
    }
    chain->operators.push_back(Now().text);
    ++at_;
    Skip();
    ASSIGN_OR_RETURN(NodePtr next, Binary(precedence + 1));
    chain->children.push_back(std::move(next));
  }
  return chain ? std::move(chain) : std::move(first);
}

Result<NodePtr> Parser::Unary() {
  std::vector<std::string> prefixes;
  for (Skip(); IsOperator("-") || IsOperator("+") || IsOperator("@"); Skip()) {
    prefixes.push_back(Now().text);
    ++at_;
  }
  ASSIGN_OR_RETURN(NodePtr node, Postfix());
  if (prefixes.empty()) return node;
  NodePtr prefix = MakeNode(NodeKind::kPrefix);
  prefix->operators = std::move(prefixes);
  prefix->children.push_back(std::move(node));
  return prefix;
}

Result<NodePtr> Parser::Postfix() {
  ASSIGN_OR_RETURN(NodePtr node, Ranges());
  NodePtr percent;
  for (;;) {
    std::size_t before = at_;
    Skip();
    if (!IsOperator("%")) {
      at_ = before;
      break;
    }
    if (!percent) {
      percent = MakeNode(NodeKind::kPercent);
      percent->children.push_back(std::move(node));
    }
    percent->operators.push_back("%");
    ++at_;
  }
  return percent ? std::move(percent) : std::move(node);
}

// A space between two references means what they share.
bool Parser::AtIntersection() const {
  if (Now().kind != TokenKind::kSpace || at_ == 0) return false;
  TokenKind left = tokens_[at_ - 1].kind, right = tokens_[at_ + 1].kind;
  auto refers = [](TokenKind kind) {
    return kind == TokenKind::kReference || kind == TokenKind::kName || kind == TokenKind::kTable;
  };
  return (refers(left) || left == TokenKind::kClose) &&
         (refers(right) || right == TokenKind::kFunction);
}

Result<NodePtr> Parser::Ranges() {
  ASSIGN_OR_RETURN(NodePtr node, Primary());
  for (;;) {
    if (IsOperator("#")) {  // all that a cell spills: we keep only what the cell itself shows
      ++at_;
      continue;
    }
    bool range = IsOperator(":");
    if (!range && !AtIntersection()) return node;
    ++at_;
    NodePtr both = MakeNode(range ? NodeKind::kRange : NodeKind::kIntersection);
    both->children.push_back(std::move(node));
    ASSIGN_OR_RETURN(NodePtr right, Primary());
    both->children.push_back(std::move(right));
    node = std::move(both);
    if (++depth_ > kNestingMax)
      return Fail(ErrorCode::kLimitExceeded, "The formula has too many ranges");
  }
}

Result<NodePtr> Parser::Primary() {
  const Token& token = Now();
  NodePtr node = MakeNode(NodeKind::kLiteral);
  switch (token.kind) {
    case TokenKind::kNumber:
      node->value = token.number;
      break;
    case TokenKind::kText:
      node->value = token.text;
      break;
    case TokenKind::kError:
      node->value = FindErrorKind(token.text).value_or(ErrorKind::kReference);
      break;
    case TokenKind::kReference:
      node->kind = NodeKind::kArea;
      break;
    case TokenKind::kTable:
      node->kind = NodeKind::kTable;
      break;
    case TokenKind::kName:
      node->kind = NodeKind::kName;
      if (!token.has_sheet && EqualsIgnoreCase(token.text, "TRUE")) {
        node->kind = NodeKind::kLiteral;
        node->value = true;
      } else if (!token.has_sheet && EqualsIgnoreCase(token.text, "FALSE")) {
        node->kind = NodeKind::kLiteral;
        node->value = false;
      }
      break;
    case TokenKind::kFunction:
      return Function();
    case TokenKind::kOpen:
      return Parenthesis();
    case TokenKind::kArrayOpen:
      return ArrayConstant();
    default:
      return Unexpected("a value");
  }
  node->area = token.area;
  node->sheet = token.sheet;
  node->has_sheet = token.has_sheet;
  node->name = token.kind == TokenKind::kTable ? token.sheet : token.text;
  node->text = token.text;
  ++at_;
  return node;
}

Result<NodePtr> Parser::Parenthesis() {
  if (++depth_ > kNestingMax)
    return Fail(ErrorCode::kLimitExceeded, "The formula is nested too deeply");
  ++at_;
  Skip();
  ASSIGN_OR_RETURN(NodePtr node, Binary(1));
  Skip();
  if (Now().kind == TokenKind::kComma) {
    NodePtr all = MakeNode(NodeKind::kUnion);
    all->children.push_back(std::move(node));
    for (; Now().kind == TokenKind::kComma; Skip()) {
      ++at_;
      Skip();
      ASSIGN_OR_RETURN(NodePtr next, Binary(1));
      all->children.push_back(std::move(next));
    }
    node = std::move(all);
  }
  if (Now().kind != TokenKind::kClose) return Unexpected("')'");
  ++at_;
  --depth_;
  return node;
}

Result<NodePtr> Parser::Function() {
  if (++depth_ > kNestingMax)
    return Fail(ErrorCode::kLimitExceeded, "The formula is nested too deeply");
  NodePtr call = MakeNode(NodeKind::kCall);
  call->name = FunctionName(Now().text);
  at_ += 2;  // the name and "("
  Skip();
  if (Now().kind == TokenKind::kClose) {
    ++at_;
    --depth_;
    return call;
  }
  for (;;) {
    Skip();
    TokenKind kind = Now().kind;
    if (kind == TokenKind::kComma || kind == TokenKind::kSemicolon || kind == TokenKind::kClose) {
      call->children.push_back(MakeNode(NodeKind::kMissing));
    } else {
      ASSIGN_OR_RETURN(NodePtr argument, Binary(1));
      call->children.push_back(std::move(argument));
    }
    if (call->children.size() > kCallArgumentsMax)
      return Fail(ErrorCode::kLimitExceeded,
                  fmt::format("{} has more than {} arguments", call->name, kCallArgumentsMax));
    Skip();
    kind = Now().kind;
    if (kind != TokenKind::kComma && kind != TokenKind::kSemicolon && kind != TokenKind::kClose)
      return Unexpected(fmt::format("',' or ')' in the arguments of {}", Printable(call->name)));
    ++at_;
    if (kind == TokenKind::kClose) break;
  }
  --depth_;
  return call;
}

Result<NodePtr> Parser::ArrayElement() {
  Skip();
  double sign = 1;
  bool is_signed = IsOperator("-") || IsOperator("+");
  if (is_signed) {
    if (IsOperator("-")) sign = -1;
    ++at_;
  }
  NodePtr node = MakeNode(NodeKind::kLiteral);
  const Token& token = Now();
  if (token.kind == TokenKind::kNumber) {
    node->value = sign * token.number;
  } else if (!is_signed && token.kind == TokenKind::kText) {
    node->value = token.text;
  } else if (!is_signed && token.kind == TokenKind::kError) {
    node->value = FindErrorKind(token.text).value_or(ErrorKind::kValue);
  } else if (!is_signed && token.kind == TokenKind::kName &&
             (EqualsIgnoreCase(token.text, "TRUE") || EqualsIgnoreCase(token.text, "FALSE"))) {
    node->value = EqualsIgnoreCase(token.text, "TRUE");
  } else {
    return Unexpected("a constant in the array");
  }
  ++at_;
  Skip();
  return node;
}

Result<NodePtr> Parser::ArrayConstant() {
  NodePtr array = MakeNode(NodeKind::kArray);
  ++at_;
  int columns = 0;
  for (;;) {
    ASSIGN_OR_RETURN(NodePtr element, ArrayElement());
    array->children.push_back(std::move(element));
    ++columns;
    TokenKind kind = Now().kind;
    if (kind == TokenKind::kComma) {
      ++at_;
      continue;
    }
    if (kind != TokenKind::kSemicolon && kind != TokenKind::kArrayClose)
      return Unexpected("',', ';' or '}' in the array");
    ++at_;
    if (array->columns == 0) array->columns = columns;
    if (array->columns != columns)
      return Fail(ErrorCode::kInvalidArgument, "The rows of the array differ in length");
    columns = 0;
    if (kind == TokenKind::kArrayClose) return array;
  }
}

}  // namespace

Result<Tree> ParseFormula(std::string_view formula) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(formula));
  return Parser(formula, std::move(tokens)).Run();
}

}  // namespace viv::formula
