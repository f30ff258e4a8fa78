#pragma once
// HTML and plain text. To text is a reading aid, not a browser: tags go, blocks become lines,
// scripts and styles vanish. One pass, linear in the input, and any input is fine.

#include <string>
#include <string_view>

namespace viv::engine::functions {

std::string HtmlToText(std::string_view html);
std::string TextToHtml(std::string_view text);

}  // namespace viv::engine::functions
