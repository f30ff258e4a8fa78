#pragma once
// Creates a working copy inside a box: of a repository on this server, which is transferred as a
// pack, or of one at github.com, which the box clones itself.

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"

namespace viv::recoup {

struct CloneSource {
  std::string url;
  std::string owner;  // the account whose repository of ours it is; empty: it is elsewhere
};

// What `url` may be cloned from, for the account; kInvalidArgument for anything else.
Result<CloneSource> CloneSourceOf(const Context& context,
                                  const std::string& origin,
                                  const std::string& account_id,
                                  std::string url);

// Into the folder "repo" of the box's user, in place of what is there. The branch that is checked
// out; kUnavailable with what git said when it failed.
Task<Result<std::string>> CloneInto(Context& context, std::string box_id, CloneSource source);

}  // namespace viv::recoup
