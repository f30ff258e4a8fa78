#pragma once
// What a person with a browser is shown where a program gets JSON: one sentence of what went wrong
// and one of what to do about it.

#include <string_view>

#include "http/message.h"

namespace viv::http {

// A person looks at it: a browser's navigation, not a script's fetch.
bool IsBrowserNavigation(const Request& request);

// Both texts may hold anything: markup in them is shown, not obeyed.
Response ErrorPage(int status, std::string_view title, std::string_view text);

}  // namespace viv::http
