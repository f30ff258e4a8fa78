#pragma once
// The memory file of localmemory: its upload alone installs it.

#include "base/task.h"
#include "blobs/blob_name.h"
#include "dialects/klavis/local_context.h"

namespace viv::klavis {

blobs::BlobName MemoryUpload(std::string_view box_id);
// Installs an uploaded file; refuses one that is no memory file.
Task<Status> InstallMemory(LocalContext& context, blobs::BlobName name);

}  // namespace viv::klavis
