#pragma once
// The JSON documents of an OCI image: an index names manifests by platform, a manifest names layers
// and a configuration. All of it is foreign text; what is read here is checked, the rest is
// ignored.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::templates {

constexpr std::size_t kOciDocumentBytesMax = 4 << 20;
constexpr std::size_t kOciManifestsMax = 1000;
constexpr std::size_t kOciLayersMax = 127;

struct OciDescriptor {
  std::string media_type;
  std::string digest;  // 64 hexadecimal digits of SHA-256, without "sha256:"
  std::int64_t size = 0;
  std::string architecture;  // of its platform; empty when it says none
  std::string system;
};

struct OciManifest {
  OciDescriptor config;
  std::vector<OciDescriptor> layers;  // the lowest first
};

struct OciConfig {
  std::string architecture;
  std::map<std::string, std::string> variables;
  std::string user;
  std::string workdir;
};

// "amd64", "arm64": what this program was built for, in the words of OCI.
std::string_view HostArchitecture();

bool IsOciIndex(std::string_view media_type);

// The manifest, or a further index, for `architecture`.
Result<OciDescriptor> ReadOciIndex(std::string_view text, std::string_view architecture);
Result<OciManifest> ReadOciManifest(std::string_view text);
Result<OciConfig> ReadOciConfig(std::string_view text);

}  // namespace viv::templates
