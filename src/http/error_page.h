#pragma once
// The HTML page that a browser shows where a program gets JSON: one sentence says what went wrong,
// one says what to do about it.

#include <string_view>

#include "http/message.h"

namespace viv::http {

// True for a browser's navigation, false for a script's fetch.
bool IsBrowserNavigation(const Request& request);

// Both texts are escaped, so markup in them is shown as text.
Response ErrorPage(int status, std::string_view title, std::string_view text);

}  // namespace viv::http
