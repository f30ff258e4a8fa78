#pragma once
// What makes a box believe the gateway's certificates: our authority in every place that programs
// take theirs from. What the template believes besides, it goes on believing. These files take the
// place of a template's topmost layer, which is ours, together with what that had: a layer more
// would make every start of a box slower.

#include <string>
#include <vector>

#include "base/result.h"
#include "storage/overlay.h"

namespace viv::templates {

// Changes whenever the layers would: with our authority, and with this machine's, which templates
// without any get.
std::string TrustKey(const std::string& authority_pem);

// Makes the new folder with the layers for `overlays`. Those whose topmost layer lies below `own`
// are replaced, others get a layer on top.
Status MakeTrustLayers(const std::string& folder,
                       const std::vector<storage::OverlayMount>& overlays,
                       const std::string& own,
                       const std::string& authority_pem);
// `overlays` with the layers in that folder.
std::vector<storage::OverlayMount> WithTrustLayers(const std::string& folder,
                                                   std::vector<storage::OverlayMount> overlays,
                                                   const std::string& own);

}  // namespace viv::templates
