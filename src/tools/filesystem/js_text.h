#pragma once
// Text as JavaScript sees it: lengths in UTF-16 units, its idea of white space, its sorting and
// its way to write dates and sizes. The tools' answers keep to these so that they look as known.

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace viv::tools::filesystem {

std::u16string ToUtf16(std::string_view utf8);  // of well-formed UTF-8
std::size_t Utf16Length(std::string_view utf8);

std::string_view TrimStart(std::string_view text);
std::string_view TrimBoth(std::string_view text);
std::size_t IndentLength(std::string_view text);  // in characters
std::string_view IndentOf(std::string_view text);

std::string WithoutCarriageReturns(std::string_view text);  // CRLF becomes LF

// Whether `a` sorts before `b` for a reader of English: case and accents matter only when all else
// is equal, and punctuation comes before digits and letters.
bool SortsBefore(std::string_view a, std::string_view b);

std::string FormatSize(std::uint64_t bytes);            // "9 B", "1.50 KB"
std::string FormatDate(const statx_timestamp& moment);  // "Mon Nov 16 2026 01:59:57 GMT+0000 (…)"

}  // namespace viv::tools::filesystem
