#pragma once
// The words that a sandbox's tags can be found by. Tags are a JSON list of texts, or an object: a
// member whose value is a text is found by that value and by "name:value", which is what a list has
// in its place.

#include <string>
#include <string_view>
#include <vector>

namespace viv::store {

// Each word once, sorted. Other JSON has none.
std::vector<std::string> TagWords(std::string_view tags_json);

// Whether all of `words` are among them.
bool HasTagWords(std::string_view tags_json, const std::vector<std::string>& words);

}  // namespace viv::store
