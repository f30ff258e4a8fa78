#include "engine/app.h"

#include "base/check.h"

namespace viv::engine {

std::string ModelChild::LinkKey() const {
  std::string key;
  for (const auto& [column, parent] : link) key += column + "=" + parent + ";";
  return key;
}

const Profile& App::profile(std::string_view profile_name) const {
  CHECK(!profiles.empty());
  for (const Profile& one : profiles) {
    if (one.name == profile_name) return one;
  }
  return profiles.front();
}

const Tool* App::tool(const Profile& of, std::string_view tool_name) const {
  auto set = tool_sets.find(of.name);
  if (set == tool_sets.end()) return nullptr;
  auto found = set->second.find(std::string(tool_name));
  return found == set->second.end() ? nullptr : &found->second;
}

}  // namespace viv::engine
