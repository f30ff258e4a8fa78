// The JSON documents of OCI images: index, manifest, configuration.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fuzz_target.h"
#include "templates/oci_manifest.h"

FUZZ_TARGET(oci_manifest)(const std::uint8_t* data, std::size_t size) {
  using namespace viv::templates;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto found = ReadOciIndex(text, "amd64")) {
    CHECK(found->digest.size() == 64 && found->digest.find('/') == std::string::npos);
    CHECK(found->size >= 0);
  }
  if (const auto manifest = ReadOciManifest(text)) {
    CHECK(!manifest->layers.empty() && manifest->layers.size() <= kOciLayersMax);
  }
  if (const auto config = ReadOciConfig(text)) {
    CHECK(config->workdir.empty() || config->workdir[0] == '/');
    for (const auto& [name, value] : config->variables) {
      CHECK(!name.empty() && name.find('=') == std::string::npos);
      CHECK(value.find('\0') == std::string::npos);
    }
  }
  return 0;
}
