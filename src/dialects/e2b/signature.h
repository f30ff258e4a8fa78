#pragma once
// Signed links to files: "/files?path=…&signature=…" proves that its maker knew the sandbox's token
// without carrying it. The signature covers path, operation, user, token and the end of its life.

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace viv::e2b {

struct FileLink {
  std::string path = {};
  std::string operation = {};  // "read" or "write"
  std::string user = {};
  std::string expiration = {};  // unix seconds as text; empty: never
  std::string signature = {};   // as the client gave it
};

// Of a request for /files with a signature; nothing for any other.
std::optional<FileLink> FileLinkOf(const http::Request& request);

// "v1_" and the digest in base64, as clients make it.
std::string Sign(const FileLink& link, std::string_view token);

// Whether the token's holder made it.
bool IsSignedWith(const FileLink& link, std::string_view token);
bool IsExpired(const FileLink& link, std::int64_t now_ms);

}  // namespace viv::e2b
