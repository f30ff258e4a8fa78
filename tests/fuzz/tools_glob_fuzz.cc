// A glob of an agent against a path: the pattern is the first line of the input, the path the rest.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_target.h"
#include "tools/filesystem/glob.h"

FUZZ_TARGET(tools_glob)(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = input.substr(0, input.find('\n'));
  if (size > 2048) return 0;
  (void)viv::tools::filesystem::Glob(pattern).Matches(
      input.substr(pattern.size() + (pattern.size() < size ? 1 : 0)));
  return 0;
}
