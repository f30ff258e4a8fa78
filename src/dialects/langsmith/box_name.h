#pragma once
// Names of boxes: 1 to 63 letters, digits, '-', '_' and '.', of which the first is a letter or
// digit. A name is not shaped like a UUID, since paths take either.

#include <optional>
#include <string>
#include <string_view>

#include "dialects/langsmith/context.h"

namespace viv::langsmith {

std::optional<std::string> BoxNameError(std::string_view name);  // nothing when it is one
// One that no box of the account has: "sandbox-1f0c29ab".
std::string UnusedBoxName(const Context& context, std::string_view account_id);
// The name in responses: the box's name, or its id, because boxes of other dialects may have no
// name.
const std::string& NameOf(const boxes::Box& box);

}  // namespace viv::langsmith
