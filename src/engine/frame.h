#pragma once
// The variables of one tool call: its declared arguments, then what each step adds. The latest of a
// name wins.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace viv::engine {

// Names that the engine itself gives a meaning: who calls (:me_id and so on) and what was given.
// Neither arguments nor steps nor fields of a document may have them.
inline bool IsReservedName(std::string_view name) {
  return name.starts_with("me_") || name == "args";
}

class Frame {
 public:
  void Set(std::string_view name, json::value value) {
    variables_.emplace_back(name, std::move(value));
  }

  const json::value* Get(std::string_view name) const {
    for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
      if (variable->first == name) return &variable->second;
    }
    return nullptr;
  }

  template <typename Visit>
  void ForEach(Visit visit) const {  // visit(name, value), oldest first
    for (const auto& [name, value] : variables_) visit(name, value);
  }

  // Loop bodies: what was set since Mark is forgotten by Restore.
  std::size_t Mark() const { return variables_.size(); }
  void Restore(std::size_t mark) { variables_.resize(mark); }

 private:
  std::vector<std::pair<std::string, json::value>> variables_;
};

}  // namespace viv::engine
