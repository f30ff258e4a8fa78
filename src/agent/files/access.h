#pragma once
// Decides who may read and write through /files: callers that send the box's token, or a link that
// was signed with it. A box without a token is open to all.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/context.h"
#include "http/message.h"

namespace viv::agent {

enum class FileAccess { kRead, kWrite };

struct SignedLink {
  std::string_view path;  // as given, not resolved
  FileAccess access = FileAccess::kRead;
  std::string_view user = {};  // empty: the default one
  std::optional<std::int64_t> expires_at_s = std::nullopt;
};

// "v1_" and the digest, as clients compute it.
std::string SignLink(const SignedLink& link, std::string_view token);

struct AccessRefusal {
  int status = 401;
  std::string message;
};
// Nothing when the request is allowed.
std::optional<AccessRefusal> RefuseAccess(const Context& context,
                                          const http::Request& request,
                                          FileAccess access,
                                          std::int64_t now_s);

}  // namespace viv::agent
