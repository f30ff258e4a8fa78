#pragma once
// Fetches a container image from a registry with the program skopeo, which sees a hostile server's
// bytes first. It runs as nobody, without inherited descriptors, in a network namespace whose only
// connection is our egress, so that it reaches only what a box may reach, redirects included.
// Credentials are in a file that only it can read, never in arguments or variables.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "boxes/image_imports.h"
#include "boxes/image_reference.h"

namespace viv::boxes {

struct FetchImage {
  ImageReference reference;
  std::optional<RegistryLogin> login;
  RegistryTransport transport = RegistryTransport::kTls;
  std::string folder;  // exists, is empty and ours; the image is written to FOLDER/image
  int network = -1;    // the namespace, borrowed
  std::int64_t bytes_max = 0;
  std::chrono::seconds timeout{600};
};

// The digest of its manifest. Blocks; `stop` ends it within a second. kUnavailable when skopeo is
// not installed.
Result<std::string> Fetch(const FetchImage& request, const std::atomic<bool>& stop);

}  // namespace viv::boxes
