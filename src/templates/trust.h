#pragma once
// What makes a box believe the gateway's certificates: our authority in every place that programs
// take theirs from. What the template believes besides, it goes on believing. These files take the
// place of a template's topmost layer, which is ours, together with what that had: a layer more
// would make every start of a box slower.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/tree.h"

namespace viv::templates {

// Changes whenever the layers would: with our authority, and with this machine's, which templates
// without any get.
std::string TrustKey(const std::string& authority_pem);

// Makes the new folder with the layers for `trees`. Those whose topmost layer lies below `own` are
// replaced, others get a layer on top.
Status MakeTrustLayers(const std::string& folder,
                       const std::vector<Tree>& trees,
                       const std::string& own,
                       const std::string& authority_pem);
// `trees` with the layers in that folder.
std::vector<Tree> WithTrustLayers(const std::string& folder,
                                  std::vector<Tree> trees,
                                  const std::string& own);

}  // namespace viv::templates
