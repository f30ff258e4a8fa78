#pragma once
// The memory of localmemory, uploaded as a file: the upload alone puts it in its place.

#include "base/task.h"
#include "blobs/blob_name.h"
#include "dialects/klavis/local_context.h"

namespace viv::klavis {

blobs::BlobName MemoryUpload(std::string_view box_id);
// What is done with an uploaded one; refused when it is no such file.
Task<Status> InstallMemory(LocalContext& context, blobs::BlobName name);

}  // namespace viv::klavis
