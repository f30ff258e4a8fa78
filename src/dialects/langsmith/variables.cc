#include "dialects/langsmith/variables.h"

#include <utility>

#include "base/text.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kVariablesMax = 1000;
constexpr std::size_t kVariableNameBytesMax = 256;
constexpr std::size_t kVariableBytesMax = 100'000;  // execve takes 128 KiB for name and value

std::string VariableError(const std::string& name, const std::string& value) {
  if (name.empty() || name.size() > kVariableNameBytesMax)
    return "names of variables have 1 to 256 bytes";
  if (name.find('=') != std::string::npos || name.find('\0') != std::string::npos)
    return "names of variables have neither '=' nor NUL bytes";
  if (value.size() > kVariableBytesMax) return "values of variables have at most 100000 bytes";
  if (value.find('\0') != std::string::npos) return "values of variables have no NUL bytes";
  return {};
}

}  // namespace

Variables ReadVariables(Members& members, std::string_view name) {
  Variables variables = members.Map(name, kVariablesMax);
  for (const auto& [variable, value] : variables) {
    std::string why = VariableError(variable, value);
    if (why.empty()) continue;
    FieldPath where = members.At(name);
    where.push_back(Printable(variable));
    members.field_errors().Add(std::move(where), std::move(why));
  }
  return variables;
}

}  // namespace viv::langsmith
