#pragma once
// Small pieces of text handling that several modules need. ASCII case only: names of headers,
// servers, tools.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace viv {

std::string ToLower(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
std::string_view Trim(std::string_view text);
std::vector<std::string_view> Split(std::string_view text, char separator);
bool IsValidUtf8(std::string_view bytes);

// %XX decoded; '+' stays as it is. Nothing when an escape is broken.
std::optional<std::string> PercentDecode(std::string_view text);
std::string PercentEncode(std::string_view text);  // all but RFC 3986 unreserved characters

// Whether `text` fits `pattern`, in which '*' stands for any run of characters.
bool MatchesGlob(std::string_view pattern, std::string_view text);

// "a, b or c", for messages that list what would have been right.
std::string JoinWithOr(const std::vector<std::string>& words);

// Other people's bytes made fit for JSON: what is no UTF-8 becomes '?', and long text is cut.
std::string Printable(std::string_view text, std::size_t bytes_max = 256);

}  // namespace viv
