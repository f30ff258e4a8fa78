#pragma once
// A call's arguments after they were checked against the tool's schema and its defaults filled in,
// so that reading them cannot fail. An argument that is absent or null gives the fallback.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace viv::tools {

class Arguments {
 public:
  explicit Arguments(json::object values) : values_(std::move(values)) {}

  const json::object& values() const { return values_; }
  const json::value* Find(std::string_view name) const;  // nullptr when absent or null
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  std::string Text(std::string_view name, std::string_view fallback = {}) const;
  std::optional<std::string> OptionalText(std::string_view name) const;
  std::int64_t Integer(std::string_view name, std::int64_t fallback = 0) const;
  std::optional<std::int64_t> OptionalInteger(std::string_view name) const;
  double Number(std::string_view name, double fallback = 0) const;
  bool Flag(std::string_view name, bool fallback = false) const;
  std::vector<std::string> Texts(std::string_view name) const;  // the strings of a list
  const json::array& List(std::string_view name) const;         // empty when there is none

 private:
  json::object values_;
};

}  // namespace viv::tools
