#pragma once
// What a revision's name stands for. Names are checked before git sees them among its arguments, so
// that none is taken for an option.

#include <string>

#include "tools/git/repository.h"

namespace viv::tools::git {

// The error of names that lead nowhere: "Ref 'x' did not resolve to an object".
tl::unexpected<Error> BadName(const std::string& name);

// kInvalidArgument for what begins with '-'; `kind` is the word for it, as "target".
Status RefuseOption(const std::string& kind, const std::string& name);

// The id of the object, of any type.
Result<std::string> Resolve(const Repository& repository, const std::string& revision);
// The id of the commit that the revision is or leads to.
Result<std::string> ResolveCommit(const Repository& repository, const std::string& revision);

// Why a reference may not have this name; kInvalidArgument.
Status CheckReferenceName(const std::string& reference);

}  // namespace viv::tools::git
