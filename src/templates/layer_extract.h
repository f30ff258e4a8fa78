#pragma once
// Unpacks one layer of an image (a tar file, plain or compressed) into a folder that overlay can
// use: whiteouts become overlay's, owners beyond a box's range become nobody. The archive is
// hostile: each name is resolved beneath the folder without following links, and size, count and
// depth are limited.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::templates {

// What all layers of an image may take together; counted down while unpacking.
struct ExtractBudget {
  std::int64_t bytes = 20LL << 30;
  std::int64_t entries = 2'000'000;
};

// `folder` exists and is empty. A refused archive leaves what was unpacked until then: the caller
// removes the folder.
Status ExtractLayer(const UniqueFd& archive, const std::string& folder, ExtractBudget& budget);

}  // namespace viv::templates
