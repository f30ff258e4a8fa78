#pragma once
// Reads an app's YAML: nodes with their location in the file, so that every error names file and
// line.

#include <initializer_list>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include "base/json.h"

namespace viv::engine {

// Thrown while loading an app and caught once, in LoadApp.
struct LoadFailure {
  std::string message;  // "tools/messages.yaml:12: …"
};

class Yaml {
 public:
  static Yaml ReadFile(const std::string& folder, const std::string& file);

  std::string location() const;
  [[noreturn]] void ThrowError(const std::string& message) const;

  bool exists() const { return node_.IsDefined() && !node_.IsNull(); }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_text() const { return node_.IsScalar(); }

  Yaml operator[](
      std::string_view key) const;  // of a map; its place is this node's when it is absent
  template <typename Visit>
  void ForEachMember(Visit visit) const {  // visit(std::string key, Yaml value)
    if (!exists()) return;
    if (!is_map()) ThrowError("a map is expected here");
    for (const auto& member : node_)
      visit(member.first.as<std::string>(), Yaml(file_, member.second));
  }
  template <typename Visit>
  void ForEachItem(Visit visit) const {  // visit(Yaml item)
    if (!exists()) return;
    if (!is_list()) ThrowError("a list is expected here");
    for (const auto& item : node_) visit(Yaml(file_, item));
  }

  std::string Text() const;                           // an error unless it is a scalar
  std::string Text(std::string_view fallback) const;  // when it is absent
  bool Truth(bool fallback) const;
  json::value Json()
      const;  // plain scalars become numbers, truth values or null, quoted ones stay text

  // Throws an error for a member that is not in `known`: a typing error must not pass as an absent
  // setting.
  void AllowOnly(std::initializer_list<std::string_view> known) const;

 private:
  Yaml(std::string file, YAML::Node node) : file_(std::move(file)), node_(std::move(node)) {}

  std::string file_;
  YAML::Node node_;
};

}  // namespace viv::engine
