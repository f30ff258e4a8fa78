#pragma once
// Copies a layer by hard links, so that the cost depends on the number of files and not on their
// size. Files of a layer are never modified, so that the two layers stay independent.

#include <string>

#include "base/result.h"
#include "templates/folder_writer.h"

namespace viv::templates {

// All of `layer` into the new one, which is empty and on the same disk. Only for layers that we
// wrote ourselves.
Status CopyLayer(const std::string& layer, const FolderWriter& into);

}  // namespace viv::templates
