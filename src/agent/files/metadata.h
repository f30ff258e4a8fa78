#pragma once
// The metadata that a caller attaches to a file: "X-Metadata-<key>" headers of an upload, kept in
// the file's extended attributes "user.e2b.<key>". An upload replaces all of it.

#include <map>
#include <string>

#include "agent/files/file_result.h"
#include "http/message.h"

namespace viv::agent {

using Metadata = std::map<std::string, std::string>;

// Keys in lower case; of a repeated header the first counts. EINVAL when a key is too long, the sum
// too large, or anything no printable ASCII.
FileResult<Metadata> MetadataOfHeaders(const http::Headers& headers);

// Call it as the file's user. A file system without extended attributes is no error.
ErrnoOr<void> ReplaceMetadata(int file, const Metadata& metadata);
Metadata ReadMetadata(const std::string& path);  // empty when there is none, or none to be had

}  // namespace viv::agent
