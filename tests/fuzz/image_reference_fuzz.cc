// Any text may be asked for as an image; what passes is made of harmless characters, begins with a
// letter or digit, and in full means the same again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "boxes/image_reference.h"
#include "fuzz_target.h"

FUZZ_TARGET(image_reference)(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  auto reference = viv::boxes::ParseImageReference(text);
  if (!reference) return 0;
  const std::string full = reference->Text();
  CHECK(full.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "./:_@-") == std::string::npos);
  CHECK(full.front() != '-' && full.front() != '/' && full.front() != '.');
  CHECK(full.find("/..") == std::string::npos);
  CHECK(viv::boxes::IsRegistryHost(reference->registry));
  auto again = viv::boxes::ParseImageReference(full);
  CHECK(again && again->Text() == full);
  return 0;
}
