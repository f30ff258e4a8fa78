#pragma once
// Random identifiers and digests. Randomness is the kernel's; nothing here is predictable.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv {

std::string RandomHex(std::size_t digits);
std::string RandomLettersAndDigits(std::size_t count);  // of [a-z0-9]
std::string RandomUuid();                               // version 4, lower case
// Always the same one for a name (version 5: SHA-1), in a namespace of our own.
std::string NameUuid(std::string_view name);
bool IsUuid(std::string_view text);  // 8-4-4-4-12 hexadecimal digits
std::string Sha256Hex(std::string_view bytes);
bool EqualsInConstantTime(std::string_view a, std::string_view b);

}  // namespace viv
