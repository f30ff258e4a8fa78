#pragma once
// One replacement in a text, as edit_file makes it: where the old text stands exactly, or else
// where its lines stand but for the white space around them. The new lines then take over the
// indentation that was there.

#include <string>
#include <string_view>

namespace viv::tools::filesystem {

// Both texts without carriage returns. False when the old one stands nowhere.
bool ReplaceText(std::string& content, std::string_view old_text, std::string_view new_text);

}  // namespace viv::tools::filesystem
