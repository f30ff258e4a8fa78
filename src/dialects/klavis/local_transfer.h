#pragma once
// Bytes between blobs and boxes.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "blobs/blob_name.h"
#include "boxes/agent_pipe.h"
#include "dialects/klavis/local_context.h"

namespace viv::klavis {

// The blob's bytes, for a program to read. kNotFound when nothing was uploaded.
Result<boxes::ByteSource> ReadBlob(LocalContext& context, const blobs::BlobName& name);

// Unpacks an uploaded tar.gz into a folder of the box: all of it or nothing. What viv-tools says
// about a bad one is a kInvalidArgument.
struct UnpackInBox {
  blobs::BlobName archive;
  std::string folder;
  bool make_folder = false;  // as root, for the box's user
};
Task<Result<std::string>> UnpackBlob(LocalContext& context, boxes::BoxPtr box, UnpackInBox what);

// A folder of the box as a new blob to download.
Task<Result<blobs::BlobName>> PackToBlob(LocalContext& context,
                                         boxes::BoxPtr box,
                                         std::string folder);

}  // namespace viv::klavis
