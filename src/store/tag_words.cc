#include "store/tag_words.h"

#include <algorithm>

#include "base/json.h"

namespace viv::store {

std::vector<std::string> TagWords(std::string_view tags_json) {
  std::vector<std::string> words;
  if (tags_json.empty() || tags_json == "null" || tags_json == "{}") return words;
  auto tags = ParseJson(tags_json);
  if (!tags) return words;
  if (const json::array* list = tags->if_array()) {
    for (const json::value& item : *list) {
      if (item.is_string()) words.emplace_back(View(item.get_string()));
    }
  } else if (const json::object* members = tags->if_object()) {
    for (const auto& member : *members) {
      if (!member.value().is_string()) continue;
      std::string_view value = View(member.value().get_string());
      words.emplace_back(value);
      words.push_back(std::string(member.key()) + ":" + std::string(value));
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

bool HasTagWords(std::string_view tags_json, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  std::vector<std::string> all = TagWords(tags_json);
  return std::all_of(words.begin(), words.end(), [&all](const std::string& word) {
    return std::binary_search(all.begin(), all.end(), word);
  });
}

}  // namespace viv::store
