#pragma once
// An OCI image in a folder (oci-layout, index.json, blobs/sha256/…) becomes layers for overlay.
// Every blob is compared with its digest before a byte of it is used.

#include <string>
#include <vector>

#include "base/result.h"
#include "templates/oci_manifest.h"
#include "templates/templates.h"

namespace viv::templates {

struct OciImage {
  std::vector<std::string> layers;  // the topmost first
  OciConfig config;
};

// Unpacks the image for this machine into new folders below `target`. The caller removes `target`
// when this fails.
Result<OciImage> UnpackOciLayout(const std::string& layout,
                                 const std::string& target,
                                 const Progress& progress);

// Writes the parts of an archive of that layout into the new folder `layout`.
Status UnpackOciArchive(const std::string& file, const std::string& layout);

}  // namespace viv::templates
