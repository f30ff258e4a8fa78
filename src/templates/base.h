#pragma once
// `base`: a root file system that needs no download. Its /usr is the host's own, below a small
// layer that adapts it to boxes. We write the rest, with those files of the host's /etc that
// configure its programs and tell nothing about the host. Nothing of the host's /root, /home, /opt
// or /var, but for the package database, is in it.

#include <string>
#include <vector>

#include "base/result.h"
#include "storage/overlay.h"

namespace viv::templates {

struct BaseOverlays {
  std::vector<storage::OverlayMount> overlays;
  std::vector<std::string>
      missing;  // programs that E2B's clients count on and the host's /usr lacks
};

// Changes whenever the host's programs do.
std::string HostFingerprint();

// Writes the layers below `folder`, which exists and is empty.
Result<BaseOverlays> MakeBase(const std::string& folder, const std::string& template_id);

}  // namespace viv::templates
