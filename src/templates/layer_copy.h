#pragma once
// A second layer with the same files: not copies of them but further names, so that it costs their
// number and not their size. Files of a layer are never written to, so the two do not meet again.

#include <string>

#include "base/result.h"
#include "templates/folder_writer.h"

namespace viv::templates {

// All of `layer` into the new one, which is empty and on the same disk. Only for layers that we
// wrote ourselves.
Status CopyLayer(const std::string& layer, const FolderWriter& into);

}  // namespace viv::templates
