#pragma once
// Counts the values of a JSON text while it arrives, without parsing it: what it would take to hold
// them is known before they are. A text that is no JSON has a count too, which means nothing.

#include <cstddef>
#include <string_view>

namespace viv::http {

class JsonValueCount {
 public:
  void Feed(std::string_view piece);
  // Of values and names of members, some too many.
  std::size_t count() const { return count_; }

 private:
  bool in_text_ = false;
  bool escaped_ = false;
  std::size_t count_ = 1;
};

}  // namespace viv::http
