#pragma once
// Fetches a repository of this server as one pack, as any git client does: for boxes, which cannot
// reach the server to clone it themselves.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "git/repositories.h"

namespace viv::recoup {

struct GitHead {
  std::string branch = "main";  // the default one
  std::string commit;           // empty: the repository is
};

// Reads what git advertises (protocol version 0).
Result<GitHead> ParseAdvertisement(std::string_view bytes);

struct GitPack {
  GitHead head;
  std::string bytes;  // everything that the commit needs; empty when there is none
};

// kLimitExceeded when it is too large to be transferred.
Task<Result<GitPack>> FetchPack(git::Repositories& repositories, std::string account_id);

}  // namespace viv::recoup
