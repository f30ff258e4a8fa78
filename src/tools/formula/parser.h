#pragma once
// A formula as a tree. Operators of equal precedence form one node with many operands, so that a
// sum of a thousand terms is as flat as it looks and depth counts only nesting.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/formula/reference.h"
#include "tools/formula/value.h"

namespace viv::formula {

constexpr int kNestingMax = 100;
constexpr std::size_t kCallArgumentsMax = 255;

enum class NodeKind {
  kLiteral,       // value
  kArea,          // area, sheet
  kName,          // name, sheet
  kTable,         // name: the table (empty: the one around the cell), text: what is in brackets
  kCall,          // name in capitals, children
  kChain,         // children joined by operators, from left to right
  kPrefix,        // operators before the child, outermost first: "-", "+", "@"
  kPercent,       // the child, divided by 100 for each of operators
  kArray,         // children in rows of `columns`
  kRange,         // child : child
  kUnion,         // (a, b)
  kIntersection,  // a b
  kMissing        // an argument left out
};

struct Node {
  NodeKind kind = NodeKind::kMissing;
  Value value;
  AreaRef area;
  std::string name, text;
  std::string sheet;
  bool has_sheet = false;
  int columns = 0;
  std::vector<std::string> operators;
  std::vector<std::unique_ptr<Node>> children;
};

using Tree = std::unique_ptr<const Node>;

Result<Tree> ParseFormula(std::string_view formula);

}  // namespace viv::formula
