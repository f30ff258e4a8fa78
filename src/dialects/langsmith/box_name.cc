#include "dialects/langsmith/box_name.h"

#include <algorithm>

#include "base/ids.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kBoxNameBytesMax = 63;

bool IsAsciiAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsBoxNameCharacter(char c) {
  return IsAsciiAlphanumeric(c) || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::optional<std::string> BoxNameError(std::string_view name) {
  if (name.empty() || name.size() > kBoxNameBytesMax ||
      !std::all_of(name.begin(), name.end(), IsBoxNameCharacter) ||
      !IsAsciiAlphanumeric(name.front())) {
    return "a name has 1 to 63 letters, digits, '-', '_' and '.', and begins with a letter or "
           "digit";
  }
  if (IsUuid(name)) return "a name must not look like a UUID: paths take either";
  return std::nullopt;
}

std::string UnusedBoxName(const Context& context, std::string_view account_id) {
  constexpr int kTries = 8;  // with a hundred thousand boxes one try fails once in forty thousand
  std::string name;
  for (int i = 0; i < kTries; ++i) {
    name = "sandbox-" + RandomHex(8);
    if (!context.boxes.GetByName(account_id, name)) break;
  }
  return name;
}

const std::string& NameOf(const boxes::Box& box) {
  return box.spec.name.empty() ? box.id : box.spec.name;
}

}  // namespace viv::langsmith
