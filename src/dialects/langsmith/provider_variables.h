#pragma once
// The variables that a rule of type aws or gcp manages. The providers' SDKs send no request unless
// they find credentials, so while such a rule is enabled its box has placeholders, which the
// gateway replaces when it signs.

#include <optional>
#include <string_view>

#include "base/json.h"
#include "dialects/langsmith/variables.h"

namespace viv::langsmith {

// Of the enabled provider rules of a stored proxy_config (proxy_config.h); null: none.
Variables ProviderVariables(const json::value& stored);

// The provider, "aws" or "gcp", whose rule manages this name; nothing when none does.
std::optional<std::string_view> ManagerOfVariable(std::string_view name);

// The first of `given` that an enabled rule of `stored` manages; nothing when there is none.
std::optional<std::string> FirstManaged(const Variables& given, const json::value& stored);

}  // namespace viv::langsmith
