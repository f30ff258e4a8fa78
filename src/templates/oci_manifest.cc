#include "templates/oci_manifest.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace viv::templates {
namespace {

constexpr std::size_t kOciVariablesMax = 1000;
constexpr std::size_t kOciTextMax = 128 << 10;

tl::unexpected<Error> FailOci(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Result<json::value> ParseOci(std::string_view text) {
  if (text.size() > kOciDocumentBytesMax) return FailOci("a document of the image is too large");
  ASSIGN_OR_RETURN(json::value value, ParseJson(text), "read a document of the image");
  if (!value.is_object()) return FailOci("a document of the image is no JSON object");
  return value;
}

Result<std::string> ReadDigest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  if (!text.starts_with(kPrefix)) return FailOci("a digest of the image is not of SHA-256");
  text.remove_prefix(kPrefix.size());
  const bool hex = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  if (text.size() != 64 || !hex) return FailOci("a digest of the image is no digest");
  return std::string(text);
}

Result<OciDescriptor> ReadDescriptor(const json::value& value) {
  OciDescriptor descriptor;
  descriptor.media_type = FindString(value, "mediaType");
  ASSIGN_OR_RETURN(descriptor.digest, ReadDigest(FindString(value, "digest")));
  const json::value* size = Find(value, "size");
  if (size == nullptr || !size->is_int64() || size->as_int64() < 0)
    return FailOci("a part of the image has no size");
  descriptor.size = size->as_int64();
  if (const json::value* platform = Find(value, "platform")) {
    descriptor.architecture = FindString(*platform, "architecture");
    descriptor.system = FindString(*platform, "os");
  }
  return descriptor;
}

Result<const json::array*> ReadList(const json::value& value,
                                    std::string_view name,
                                    std::size_t most) {
  const json::value* list = Find(value, name);
  if (list == nullptr || !list->is_array())
    return FailOci("a document of the image has no list '" + std::string(name) + "'");
  if (list->as_array().size() > most)
    return FailOci("the image's list '" + std::string(name) + "' is too long");
  return &list->as_array();
}

bool IsLayerType(std::string_view type) {
  static constexpr std::string_view kTypes[] = {
      "application/vnd.oci.image.layer.v1.tar",
      "application/vnd.oci.image.layer.v1.tar+gzip",
      "application/vnd.oci.image.layer.v1.tar+zstd",
      "application/vnd.docker.image.rootfs.diff.tar",
      "application/vnd.docker.image.rootfs.diff.tar.gzip",
      "application/vnd.docker.image.rootfs.diff.tar.zstd"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// "NAME=value" of Env; what is not of that form means nothing to a process and is left out.
void AddVariable(std::string_view line, std::map<std::string, std::string>& variables) {
  const std::size_t equals = line.find('=');
  if (equals == 0 || equals == std::string_view::npos || line.size() > kOciTextMax) return;
  const std::string_view name = line.substr(0, equals);
  if (HasControl(name) || line.find('\0') != std::string_view::npos) return;
  if (variables.size() < kOciVariablesMax) variables[std::string(name)] = line.substr(equals + 1);
}

}  // namespace

std::string_view HostArchitecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#elif defined(__riscv)
  return "riscv64";
#else
  return "unknown";
#endif
}

bool IsOciIndex(std::string_view media_type) {
  return media_type == "application/vnd.oci.image.index.v1+json" ||
         media_type == "application/vnd.docker.distribution.manifest.list.v2+json";
}

Result<OciDescriptor> ReadOciIndex(std::string_view text, std::string_view architecture) {
  ASSIGN_OR_RETURN(const json::value value, ParseOci(text));
  ASSIGN_OR_RETURN(const json::array* manifests, ReadList(value, "manifests", kOciManifestsMax));
  std::vector<std::string> others;
  for (const json::value& item : *manifests) {
    ASSIGN_OR_RETURN(OciDescriptor descriptor, ReadDescriptor(item));
    // One without a platform says it in its configuration, which is compared later.
    const bool fits = descriptor.architecture.empty() ||
                      (descriptor.architecture == architecture && descriptor.system == "linux");
    if (fits) return descriptor;
    others.push_back(descriptor.system + "/" + descriptor.architecture);
  }
  if (others.empty()) return FailOci("the index holds no image");
  if (others.size() > 10) others.resize(10);
  return FailOci("the image is for " + JoinWithOr(others) + ", this machine is linux/" +
                 std::string(architecture));
}

Result<OciManifest> ReadOciManifest(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseOci(text));
  const json::value* config = Find(value, "config");
  if (config == nullptr) return FailOci("the image's manifest has no configuration");
  OciManifest manifest;
  ASSIGN_OR_RETURN(manifest.config, ReadDescriptor(*config));
  ASSIGN_OR_RETURN(const json::array* layers, ReadList(value, "layers", kOciLayersMax));
  if (layers->empty()) return FailOci("the image has no layers");
  for (const json::value& item : *layers) {
    ASSIGN_OR_RETURN(OciDescriptor layer, ReadDescriptor(item));
    if (!IsLayerType(layer.media_type))
      return FailOci("a layer of the image is of a kind we do not know: " + layer.media_type);
    manifest.layers.push_back(std::move(layer));
  }
  return manifest;
}

Result<OciConfig> ReadOciConfig(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseOci(text));
  OciConfig config;
  config.architecture = FindString(value, "architecture");
  if (FindString(value, "os") != "linux") return FailOci("the image is not for Linux");
  const json::value* settings = Find(value, "config");
  if (settings == nullptr) return config;
  config.user = FindString(*settings, "User");
  config.workdir = FindString(*settings, "WorkingDir");
  if (HasControl(config.user) || HasControl(config.workdir) || config.user.size() > 256 ||
      config.workdir.size() > 4096)
    return FailOci("the image's user or folder is no name");
  if (!config.workdir.empty() && config.workdir[0] != '/') config.workdir.insert(0, "/");
  if (const json::value* list = Find(*settings, "Env"); list != nullptr && list->is_array()) {
    for (const json::value& item : list->as_array()) {
      if (item.is_string()) AddVariable(View(item.as_string()), config.variables);
    }
  }
  return config;
}

}  // namespace viv::templates
